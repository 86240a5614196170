import Glibc

@testable import USB

/// A signal that a test gives.
final class ManualSignal: DeviceChangeSignal {
    private let (reading, writing): (Int32, Int32)

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw USBError(errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    func fire() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    func observe(_ notify: @escaping @Sendable () -> Void) -> FileDescriptorWatch? {
        let file = dup(reading)
        return FileDescriptorWatch(file) {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(file, &bytes, bytes.count) > 0 {}
            notify()
        }
    }
}
