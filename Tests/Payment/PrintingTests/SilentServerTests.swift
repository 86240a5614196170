import Determinism
import Foundation
import Glibc
import Printing
import Testing

@Suite("A print server that accepts and never answers")
struct SilentServerTests {
    @Test func `times out`() async throws {
        let path = NSTemporaryDirectory() + "/silent-\(UUID().uuidString.prefix(8)).sock"
        let listener = try Self.listen(at: path)
        defer {
            close(listener)
            unlink(path)
        }
        // The clock moves to the deadline at once.
        let service = CUPSPrinterService(server: path, time: VirtualTimeSource())
        let error = await #expect(throws: PrinterError.self) { try await service.printers() }
        guard case .serverUnavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `can be canceled`() async throws {
        let path = NSTemporaryDirectory() + "/silent-\(UUID().uuidString.prefix(8)).sock"
        let listener = try Self.listen(at: path)
        defer {
            close(listener)
            unlink(path)
        }
        let service = CUPSPrinterService(server: path, time: SystemTimeSource())
        let asking = Task { () async throws(PrinterError) in try await service.printers() }
        asking.cancel()
        await #expect(throws: PrinterError.canceled) { try await asking.value }
    }

    private static func listen(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(bound == 0 && Glibc.listen(descriptor, 4) == 0)
        return descriptor
    }
}
