internal import Synchronization

/// Tells what commits have to tell, one notice at a time, in the order of the commits, outside every lock.
///
/// The task that committed tells it when the database is free again. While one task is at it, what others add
/// waits for that one.
final class NoticeLine: Sendable {
    private struct Content {
        var line: [StorageNotice] = []
        var isTelling = false
    }

    private let content = Mutex(Content())

    func append(_ notice: @escaping StorageNotice) { content.withLock { $0.line.append(notice) } }

    func tell() {
        var isMine = false
        while true {
            let line = content.withLock { content -> [StorageNotice] in
                guard isMine || !content.isTelling else { return [] }
                isMine = !content.line.isEmpty
                content.isTelling = isMine
                defer { content.line = [] }
                return content.line
            }
            guard !line.isEmpty else { return }
            for notice in line { notice() }
        }
    }
}
