// What manyhash.spark does inside the JVM: the driver lists files through Hadoop's FileSystem API, executors read them.
//
// hadoop.py has this compiled by Janino, which every Spark brings along, when a program first needs it. So there is nothing to build for
// each version of Spark and Hadoop. Janino knows no lambdas, and generics only as comments: hence the casts.
//
// Between the three sides everything is bytes. What a file is travels as an `Item` does (see its `write`), in both directions:
// driver -> executor: one array a task, with the number of items and the items;
// executor -> Python: records, as records.py says.
package manyhash.spark;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.util.SerializableConfiguration;

/** The driver's side: a list of files, and the RDD that reads them. */
public class HadoopFiles {
    private Configuration configuration;
    private String excluded;
    private HashSet known;
    private boolean isAudit;
    private final ArrayList items = new ArrayList();
    private long totalBytes;

    /** `excludedFolder`, an URI or null, is left out with all that is below it. */
    public void configure(Configuration hadoopConfiguration, String excludedFolder) {
        configuration = hadoopConfiguration;
        excluded = excludedFolder;
    }

    /** The URI of a path as users write it, with file system and folder completed. */
    public String qualified(String input) throws IOException {
        Path path = new Path(input);
        return uri(path.getFileSystem(configuration).makeQualified(path));
    }

    /** Adds the files that a path names, a folder with all files below it, or a pattern of both. Returns false if there is no such. */
    public boolean add(String input) throws IOException {
        Path path = new Path(input);
        FileSystem fileSystem = Reading.fileSystem(path, configuration);
        path = fileSystem.makeQualified(path);
        try {
            addRoot(fileSystem, fileSystem.getFileStatus(path));
            return true;
        } catch (FileNotFoundException notThisName) {
            FileStatus[] matches = fileSystem.globStatus(path);
            if (matches == null || matches.length == 0) return false;
            for (int i = 0; i < matches.length; i++) addRoot(fileSystem, matches[i]);
            return true;
        }
    }

    /** From now on each file counts once, however many inputs it is below. */
    public void expectOverlaps() {
        if (known == null) known = new HashSet();
    }

    /** From now on files are only listed: those that are not known yet are `extra`. */
    public void beginAudit() {
        isAudit = true;
    }

    /** Adds the rows of a table: path, size, algorithm, digest, error. */
    public void addTable(Iterator rows) throws IOException {
        while (rows.hasNext()) {
            Row row = (Row) rows.next();
            Item item = new Item();
            item.isCheck = true;
            item.path = row.isNullAt(0) ? "" : row.getString(0);
            item.bytes = row.isNullAt(1) ? -1L : row.getLong(1);
            item.algorithm = row.isNullAt(2) ? "" : row.getString(2);
            item.digest = row.isNullAt(3) ? new byte[0] : (byte[]) row.get(3);
            if (row.isNullAt(0) || row.isNullAt(1) || row.isNullAt(2) || row.isNullAt(3)) {
                item.state = Item.NO_DIGEST;
                item.message = row.isNullAt(4) ? "the table has no digest for it" : "the table has an error for it: " + row.getString(4);
            }
            add(item);
        }
    }

    public int count() {
        return items.size();
    }

    public long totalBytes() {
        return totalBytes;
    }

    /** What executors read: items cut into tasks, the largest tasks first, so that none of them is what all others wait for. */
    public JavaRDD records(JavaSparkContext spark, int pieceBytes, long partitionBytes, int partitionFiles) throws IOException {
        // Few files are spread over all cores, but not thinner than a piece.
        int cores = Math.max(1, spark.defaultParallelism().intValue());
        long mostBytes = Math.min(partitionBytes, Math.max((long) pieceBytes, totalBytes / cores));
        int mostFiles = Math.min(partitionFiles, Math.max(1, (items.size() + cores - 1) / cores));
        ArrayList tasks = new ArrayList();
        Task task = new Task();
        for (int i = 0; i < items.size(); i++) {
            Listed listed = (Listed) items.get(i);
            if (listed.bytes >= mostBytes) {
                Task own = new Task();
                own.add(listed);
                tasks.add(own);
                continue;
            }
            if (task.files == mostFiles || task.files > 0 && task.bytes + listed.bytes > mostBytes) {
                tasks.add(task);
                task = new Task();
            }
            task.add(listed);
        }
        if (task.files > 0) tasks.add(task);
        Collections.sort(tasks, new LargestFirst());
        ArrayList blobs = new ArrayList(tasks.size());
        for (int i = 0; i < tasks.size(); i++) blobs.add(((Task) tasks.get(i)).blob());
        JavaRDD rdd = spark.parallelize(blobs, Math.max(1, blobs.size()));
        return rdd.flatMap(new Reading(new SerializableConfiguration(configuration), pieceBytes));
    }

    private void add(Item item) throws IOException {
        if (known != null) {
            boolean isNew = known.add(item.path);
            // A table's rows are all checked, also those of the same file with other algorithms.
            if (!isNew && !item.isCheck) return;
        }
        if (isAudit && item.state == Item.TO_READ) item.state = Item.EXTRA;
        long bytes = item.state == Item.TO_READ ? Math.max(0L, item.bytes) : 0L;
        totalBytes += bytes;
        items.add(new Listed(item.bytes(), bytes));
    }

    /** Hadoop writes file:/name for patterns and file:///name for folders: here a path without a host always has three strokes. */
    private static String uri(Path path) {
        URI uri = path.toUri();
        if (uri.getScheme() == null || uri.getAuthority() != null) return uri.toString();
        return new Path(uri.getScheme(), "", uri.getPath()).toUri().toString();
    }

    private boolean isExcluded(String uri) {
        return excluded != null && (uri.equals(excluded) || uri.startsWith(excluded + "/"));
    }

    private void addFile(FileStatus status) throws IOException {
        String uri = uri(status.getPath());
        if (isExcluded(uri)) return;
        Item item = new Item();
        item.path = uri;
        item.bytes = status.getLen();
        item.modifiedMillis = status.getModificationTime();
        add(item);
    }

    private void addUnreadable(String uri, Exception error) throws IOException {
        Item item = new Item();
        item.path = uri;
        item.state = Item.UNREADABLE;
        item.message = Reading.describe(error);
        add(item);
    }

    private void addRoot(FileSystem fileSystem, FileStatus root) throws IOException {
        if (root.isFile()) {
            addFile(root);
        } else if (fileSystem.getClass() == RawLocalFileSystem.class) {
            addLocalFolder(new java.io.File(root.getPath().toUri().getPath()).toPath());
        } else {
            addFolder(fileSystem, root.getPath());
        }
    }

    /** Object stores answer `listFiles` with one request for a thousand files. A folder it fails on ends it, so then we walk ourselves. */
    private void addFolder(FileSystem fileSystem, Path root) throws IOException {
        ArrayList files = new ArrayList();
        try {
            RemoteIterator found = fileSystem.listFiles(root, true);
            while (found.hasNext()) {
                FileStatus status = (FileStatus) found.next();
                files.add(new FileStatus(status.getLen(), false, 0, 0L, status.getModificationTime(), status.getPath()));
            }
        } catch (Exception unreadableFolder) {
            walk(fileSystem, root);
            return;
        }
        for (int i = 0; i < files.size(); i++) addFile((FileStatus) files.get(i));
    }

    private void walk(FileSystem fileSystem, Path root) throws IOException {
        ArrayDeque folders = new ArrayDeque();
        folders.push(root);
        while (!folders.isEmpty()) {
            Path folder = (Path) folders.pop();
            if (isExcluded(uri(folder))) continue;
            try {
                RemoteIterator found = fileSystem.listStatusIterator(folder);
                while (found.hasNext()) {
                    FileStatus status = (FileStatus) found.next();
                    // The links of viewfs are mount points.
                    if (status.isSymlink()) status = fileSystem.getFileStatus(status.getPath());
                    if (status.isDirectory()) folders.push(status.getPath());
                    else addFile(status);
                }
            } catch (Exception error) {
                addUnreadable(uri(folder), error);
            }
        }
    }

    /** Hadoop follows links, in circles too, and leaves out names that are not text. So local folders we walk ourselves. */
    private void addLocalFolder(java.nio.file.Path root) throws IOException {
        ArrayDeque folders = new ArrayDeque();
        folders.push(root);
        while (!folders.isEmpty()) {
            java.nio.file.Path folder = (java.nio.file.Path) folders.pop();
            if (isExcluded(localUri(folder))) continue;
            DirectoryStream entries = null;
            try {
                entries = Files.newDirectoryStream(folder);
                Iterator iterator = entries.iterator();
                while (iterator.hasNext()) addLocalEntry((java.nio.file.Path) iterator.next(), folders);
            } catch (DirectoryIteratorException error) {
                addUnreadable(localUri(folder), error.getCause());
            } catch (IOException error) {
                addUnreadable(localUri(folder), error);
            } finally {
                if (entries != null) entries.close();
            }
        }
    }

    private void addLocalEntry(java.nio.file.Path entry, ArrayDeque folders) throws IOException {
        BasicFileAttributes attributes;
        try {
            attributes = Files.readAttributes(entry, BasicFileAttributes.class, new LinkOption[] {LinkOption.NOFOLLOW_LINKS});
        } catch (IOException error) {
            addUnreadable(localUri(entry), error);
            return;
        }
        if (attributes.isDirectory()) {
            folders.push(entry);
        } else if (attributes.isRegularFile()) {
            if (isText(entry)) {
                addFile(new FileStatus(attributes.size(), false, 0, 0L, attributes.lastModifiedTime().toMillis(),
                    new Path("file", "", entry.toString())));
            } else {
                addUnreadable(localUri(entry), new IOException("its name is no text in the driver's encoding, so Hadoop cannot open it"));
            }
        }
    }

    private static boolean isText(java.nio.file.Path path) {
        try {
            return java.nio.file.Paths.get(path.toString(), new String[0]).equals(path);
        } catch (InvalidPathException error) {
            return false;
        }
    }

    /** As Hadoop writes it; a name that is no text with each of its bytes beyond ASCII as %XX. */
    private static String localUri(java.nio.file.Path path) {
        return isText(path) ? new Path("file", "", path.toString()).toUri().toString() : path.toUri().toString();
    }

    /** An item as bytes, and what it adds to a task. */
    private static class Listed {
        final byte[] item;
        final long bytes;

        Listed(byte[] item, long bytes) {
            this.item = item;
            this.bytes = bytes;
        }
    }

    private static class Task {
        final ArrayList listed = new ArrayList();
        int files;
        long bytes;

        void add(Listed item) {
            listed.add(item);
            files++;
            bytes += item.bytes;
        }

        byte[] blob() throws IOException {
            ByteArrayOutputStream buffer = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(buffer);
            out.writeInt(files);
            for (int i = 0; i < listed.size(); i++) out.write(((Listed) listed.get(i)).item);
            return buffer.toByteArray();
        }
    }

    private static class LargestFirst implements Comparator {
        public int compare(Object left, Object right) {
            return Long.compare(((Task) right).bytes, ((Task) left).bytes);
        }
    }
}
