import Glibc

/// Makes a backup of a database while other processes use it.
public enum DatabaseBackup {
    /// Copies a database to a file, checks the copy, and gives it its name only then.
    ///
    /// - Parameters:
    ///   - source: the path of the database.
    ///   - target: the path of the backup. Missing folders are created. The file is readable only by its owner.
    ///   - isReplacing: whether to replace an existing file.
    ///   - onProgress: called with the pages that are done and all pages; the work stops when it returns false.
    /// - Returns: what the backup holds.
    /// - Throws: ``BackupError``; an existing file is as it was.
    public static func make(
        of source: String, at target: String, replacing isReplacing: Bool,
        onProgress: (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(BackupError) -> DatabaseSummary {
        try check(target, besides: source, replacing: isReplacing)
        let copy = try DatabaseCopy(of: source, beside: target, onProgress: onProgress)
        do throws(BackupError) {
            let summary = try DatabaseSummary(checking: copy.path)
            try copy.move(to: target, replacing: isReplacing)
            return summary.moved(to: target)
        } catch {
            copy.remove()
            throw error
        }
    }

    private static func check(
        _ target: String, besides source: String, replacing isReplacing: Bool
    ) throws(BackupError) {
        var (own, other) = (stat(), stat())
        guard lstat(target, &own) == 0 else { return }
        let isSame =
            stat(source, &other) == 0 && stat(target, &own) == 0
            && own.st_ino == other.st_ino && own.st_dev == other.st_dev
        guard !isSame else { throw .isTheDatabase(path: target) }
        guard lstat(target, &own) == 0, own.st_mode & S_IFMT == S_IFREG else {
            throw .notARegularFile(path: target)
        }
        guard isReplacing else { throw .exists(path: target) }
    }
}
