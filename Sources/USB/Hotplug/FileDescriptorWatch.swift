internal import Dispatch
internal import Glibc
internal import Synchronization

/// Calls back when there is something to read from a file descriptor, which it owns. No thread waits meanwhile.
final class FileDescriptorWatch: Sendable {
    private let source: Mutex<(any DispatchSourceRead)?>

    /// - Parameters:
    ///   - descriptor: closed when the watch is cancelled or nobody holds it any more.
    ///   - body: reads what is there. It must not block.
    init(_ descriptor: Int32, onReadable body: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "usb-hotplug"))
        source.setEventHandler { @Sendable in body() }
        source.setCancelHandler { @Sendable in _ = Glibc.close(descriptor) }
        source.resume()
        self.source = Mutex(source)
    }

    deinit { cancel() }

    /// Ends the watch. May be called more than once.
    func cancel() { source.withLock { $0.take() }?.cancel() }
}
