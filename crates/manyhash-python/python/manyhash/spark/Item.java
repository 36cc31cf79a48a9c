package manyhash.spark;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** A file, and what is known or was found out about it. */
public class Item {
    public static final byte TO_READ = 0;
    public static final byte MISSING = 1;
    public static final byte UNREADABLE = 2;
    public static final byte CHANGED = 3;
    public static final byte EXTRA = 4;
    public static final byte NO_DIGEST = 5;

    public byte state = TO_READ;
    public boolean isCheck;
    public long bytes = -1L;
    public long modifiedMillis = -1L;
    public String path = "";
    /** Of a check: what the table says. */
    public String algorithm = "";
    public byte[] digest = new byte[0];
    public String message = "";

    public void write(DataOutputStream out) throws IOException {
        out.writeByte(state);
        out.writeBoolean(isCheck);
        out.writeLong(bytes);
        out.writeLong(modifiedMillis);
        writeBytes(out, path.getBytes("UTF-8"));
        writeBytes(out, algorithm.getBytes("UTF-8"));
        writeBytes(out, digest);
        writeBytes(out, message.getBytes("UTF-8"));
    }

    public void read(DataInputStream in) throws IOException {
        state = in.readByte();
        isCheck = in.readBoolean();
        bytes = in.readLong();
        modifiedMillis = in.readLong();
        path = new String(readBytes(in), "UTF-8");
        algorithm = new String(readBytes(in), "UTF-8");
        digest = readBytes(in);
        message = new String(readBytes(in), "UTF-8");
    }

    public byte[] bytes() throws IOException {
        ByteArrayOutputStream buffer = new ByteArrayOutputStream(128);
        write(new DataOutputStream(buffer));
        return buffer.toByteArray();
    }

    /** A record for Python: its kind and this item. */
    public byte[] record(char kind) throws IOException {
        ByteArrayOutputStream buffer = new ByteArrayOutputStream(128);
        DataOutputStream out = new DataOutputStream(buffer);
        out.writeByte(kind);
        write(out);
        return buffer.toByteArray();
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
