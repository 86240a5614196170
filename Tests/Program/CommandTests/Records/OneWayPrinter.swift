import Foundation
import Glibc
import Synchronization
import Testing

/// A one-way network printer, like one behind a `socket://` queue.
final class OneWayPrinter: Sendable {
    let port: Int
    private let listener: Int32
    private let bytes = Mutex<[UInt8]>([])

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let named = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 4) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(named)
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = read(client, &buffer, buffer.count)
                    guard count > 0 else { break }
                    let piece = buffer[..<count]
                    bytes.withLock { $0 += piece }
                }
                Glibc.close(client)
            }
        }.start()
    }

    /// Everything that it was sent.
    var received: [UInt8] { bytes.withLock { $0 } }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }
}
