package manyhash.spark;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;

/** The executors' side: from the items of a task to the records of their files. */
public class Reading implements FlatMapFunction, Serializable {
    private static final long serialVersionUID = 1L;
    private final SerializableConfiguration configuration;
    private final int pieceBytes;

    public Reading(SerializableConfiguration configuration, int pieceBytes) {
        this.configuration = configuration;
        this.pieceBytes = pieceBytes;
    }

    public Iterator call(Object blob) throws Exception {
        return new Records((byte[]) blob, configuration.value(), pieceBytes);
    }

    /** Without Hadoop's .crc files beside local files: those are files like others, and a stale one makes no other file unreadable. */
    public static FileSystem fileSystem(Path path, Configuration configuration) throws IOException {
        FileSystem fileSystem = path.getFileSystem(configuration);
        return fileSystem instanceof LocalFileSystem ? ((LocalFileSystem) fileSystem).getRaw() : fileSystem;
    }

    /** One line. */
    public static String describe(Throwable error) {
        String message = error.getMessage();
        String name = error.getClass().getSimpleName();
        return message == null ? name : name + ": " + message.split("\n", 2)[0];
    }
}

/** Records of a task's files, made as they are asked for: no more than a piece of a file is in memory. */
class Records implements Iterator, TaskCompletionListener {
    private final Configuration configuration;
    private final int pieceBytes;
    private final DataInputStream items;
    private int itemsLeft;
    private final ArrayDeque ready = new ArrayDeque();

    /** The file that is being read, if it has several pieces. */
    private InputStream large;
    private Item item;
    private FileSystem fileSystem;
    private Path path;
    private long bytesRead;

    Records(byte[] blob, Configuration configuration, int pieceBytes) throws IOException {
        this.configuration = configuration;
        this.pieceBytes = pieceBytes;
        items = new DataInputStream(new ByteArrayInputStream(blob));
        itemsLeft = items.readInt();
        TaskContext.get().addTaskCompletionListener(this);
    }

    public void onTaskCompletion(TaskContext context) {
        closeLarge();
    }

    public boolean hasNext() {
        try {
            while (ready.isEmpty()) {
                if (large != null) {
                    nextPiece();
                } else if (itemsLeft > 0) {
                    itemsLeft--;
                    item = new Item();
                    item.read(items);
                    begin();
                } else {
                    return false;
                }
            }
        } catch (IOException error) {
            // Only from writing to memory.
            throw new IllegalStateException(error);
        }
        return true;
    }

    public Object next() {
        if (!hasNext()) throw new NoSuchElementException();
        return ready.poll();
    }

    public void remove() {
        throw new UnsupportedOperationException();
    }

    private void begin() throws IOException {
        if (item.state != Item.TO_READ) {
            ready.add(item.record('F'));
            return;
        }
        path = null;
        bytesRead = 0L;
        try {
            path = new Path(new URI(item.path));
            fileSystem = Reading.fileSystem(path, configuration);
            if (item.isCheck && !isAsListed()) {
                ready.add(item.record('F'));
                return;
            }
            InputStream stream = open();
            if (item.bytes > pieceBytes) {
                large = stream;
                ready.add(item.record('L'));
                return;
            }
            byte[] content;
            try {
                // One byte more, to notice that a file has grown.
                content = read(stream, (int) item.bytes + 1);
            } finally {
                stream.close();
            }
            bytesRead = content.length;
            if (isUnchanged()) {
                ready.add(item.record('W'));
                ready.add(content);
            } else {
                ready.add(item.record('F'));
            }
        } catch (Exception error) {
            fail(error);
        }
    }

    private void nextPiece() throws IOException {
        try {
            byte[] piece = read(large, pieceBytes);
            if (piece.length > 0) {
                bytesRead += piece.length;
                ready.add(new byte[] {(byte) 'P'});
                ready.add(piece);
                return;
            }
            closeLarge();
            ready.add(item.record(isUnchanged() ? 'E' : 'F'));
        } catch (Exception error) {
            closeLarge();
            fail(error);
        }
    }

    /** A new array each time: who takes records may keep them. */
    private static byte[] read(InputStream stream, int length) throws IOException {
        byte[] bytes = new byte[length];
        int filled = 0;
        while (filled < length) {
            int count = stream.read(bytes, filled, length - filled);
            if (count < 0) return Arrays.copyOf(bytes, filled);
            filled += count;
        }
        return bytes;
    }

    private InputStream open() throws Exception {
        FutureDataInputStreamBuilder builder = fileSystem.openFile(path);
        // Stores that know these stream a file from end to end, and need not ask for its length first; others ignore them.
        builder.opt("fs.option.openfile.read.policy", "whole-file, sequential");
        builder.opt("fs.option.openfile.length", Long.toString(item.bytes));
        try {
            return (InputStream) builder.build().get();
        } catch (ExecutionException error) {
            if (error.getCause() instanceof Exception) throw (Exception) error.getCause();
            throw error;
        }
    }

    /** Of a check, before reading. A file of another size is not read: its digest can't be the same. */
    private boolean isAsListed() throws IOException {
        FileStatus status = fileSystem.getFileStatus(path);
        if (status.isDirectory()) {
            item.state = Item.CHANGED;
            item.message = "it is a folder now";
        } else if (status.getLen() != item.bytes) {
            item.state = Item.CHANGED;
            item.message = "it had " + item.bytes + " bytes and has " + status.getLen();
        }
        item.modifiedMillis = status.getModificationTime();
        return item.state == Item.TO_READ;
    }

    /** After reading: a digest of bytes that were never the file's content at one time is worse than none. */
    private boolean isUnchanged() throws IOException {
        FileStatus status = fileSystem.getFileStatus(path);
        if (bytesRead == item.bytes && status.getLen() == item.bytes && isSameTime(status.getModificationTime(), item.modifiedMillis)) {
            return true;
        }
        item.state = Item.UNREADABLE;
        item.message = "it changed before it was read to its end: it had " + item.bytes + " bytes, " + bytesRead + " were read, and it has "
            + status.getLen();
        return false;
    }

    /** In seconds, because some stores list more digits than they tell of one file. Some tell no time at all. */
    private static boolean isSameTime(long left, long right) {
        return left <= 0L || right <= 0L || left / 1000L == right / 1000L;
    }

    private void fail(Exception error) throws IOException {
        // A task that is being ended has found out nothing about its file.
        if (TaskContext.get().isInterrupted() || error instanceof InterruptedException) throw new IllegalStateException(error);
        item.state = isMissing(error) ? Item.MISSING : Item.UNREADABLE;
        item.message = error instanceof URISyntaxException ? "its path is no URI: " + error.getMessage() : Reading.describe(error);
        ready.add(item.record('F'));
    }

    /** FileNotFoundException alone does not say so: java.io throws it for files that may not be read. */
    private boolean isMissing(Exception error) {
        if (!(error instanceof FileNotFoundException) || path == null) return false;
        try {
            fileSystem.getFileStatus(path);
            return false;
        } catch (FileNotFoundException missing) {
            return true;
        } catch (IOException unknown) {
            return false;
        }
    }

    private void closeLarge() {
        if (large == null) return;
        try {
            large.close();
        } catch (IOException ignored) {
            // All of it has been read, or an earlier error is being reported.
        }
        large = null;
    }
}
