// A file system of tests, scheme gate:. It is the local one, except for files whose names begin with
// - `gated`: reading stops at half of the file until the file `open` is in the folder of the setting fs.gate.folder. There the process that
//   has stopped leaves a file whose name is its number;
// - `unreadable`: opening fails; `broken`: reading fails at half of the file; `growing`: a byte is appended at half of the file.
// Folders named `unreadable` cannot be listed.
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

public class GateFileSystem extends RawLocalFileSystem {
    public URI getUri() {
        return URI.create("gate:///");
    }

    public String getScheme() {
        return "gate";
    }

    public FileStatus[] listStatus(Path folder) throws IOException {
        if (folder.getName().equals("unreadable")) throw new IOException("Permission denied: " + folder);
        FileStatus[] found = super.listStatus(folder);
        for (int i = 0; i < found.length; i++) found[i] = plain(found[i]);
        return found;
    }

    public FileStatus getFileStatus(Path path) throws IOException {
        return plain(super.getFileStatus(path));
    }

    /** Without permissions, which the local file system looks up by file: paths only. */
    private static FileStatus plain(FileStatus status) {
        return new FileStatus(status.getLen(), status.isDirectory(), 1, 1L, status.getModificationTime(), status.getPath());
    }

    public FSDataInputStream open(Path path, int bufferBytes) throws IOException {
        if (path.getName().startsWith("unreadable")) throw new IOException("Permission denied: " + path);
        FSDataInputStream stream = super.open(path, bufferBytes);
        return new FSDataInputStream(new Stream(stream, path, getFileStatus(path).getLen() / 2L, getConf().get("fs.gate.folder", "")));
    }

    public static class Stream extends FSInputStream {
        private final FSDataInputStream stream;
        private final Path path;
        private final long half;
        private final String folder;
        private long position;
        private boolean isPastHalf;

        Stream(FSDataInputStream stream, Path path, long half, String folder) {
            this.stream = stream;
            this.path = path;
            this.half = half;
            this.folder = folder;
        }

        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
        }

        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (position >= half && !isPastHalf) {
                isPastHalf = true;
                atHalf(path.getName());
            }
            int count = stream.read(bytes, offset, isPastHalf ? length : (int) Math.min((long) length, half - position));
            if (count > 0) position += count;
            return count;
        }

        private void atHalf(String name) throws IOException {
            if (name.startsWith("broken")) throw new IOException("Input/output error");
            if (name.startsWith("growing")) {
                FileOutputStream out = new FileOutputStream(path.toUri().getPath(), true);
                out.write(33);
                out.close();
            }
            if (name.startsWith("gated")) {
                new FileOutputStream(folder + "/" + java.lang.management.ManagementFactory.getRuntimeMXBean().getPid()).close();
                java.io.File open = new java.io.File(folder + "/open");
                while (!open.exists()) {
                    try {
                        Thread.sleep(20L);
                    } catch (InterruptedException error) {
                        throw new java.io.InterruptedIOException();
                    }
                }
            }
        }

        public void seek(long target) throws IOException {
            stream.seek(target);
            position = target;
        }

        public long getPos() {
            return position;
        }

        public boolean seekToNewSource(long target) {
            return false;
        }

        public void close() throws IOException {
            stream.close();
        }
    }
}
