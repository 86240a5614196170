import Dispatch
import Foundation
import Testing

/// The process that started this one and shows it USB devices: Tests/Mock/USBIPBridge.c, which lists the orders.
enum USBBridge {
    /// What a device counts, in the order in which it tells.
    enum Counter: Int { case claims, releases, detaches, attaches, clearedHalts, resets, transfers, files }

    /// What an order is answered that does not begin with `ok`.
    struct Refusal: Error, CustomStringConvertible { var description: String }

    static var isPresent: Bool { path != nil }

    private static var path: String? { ProcessInfo.processInfo.environment["CARDPRESENT_USB_BRIDGE"] }
    private static let queue = DispatchQueue(label: "usb-bridge")

    /// Plugs in a device that is on a server of this machine.
    ///
    /// - Returns: its address.
    static func plug(port: UInt16, busID: String) async throws -> UInt8 {
        let answer = try await order("plug", "127.0.0.1", "\(port)", busID)
        return try #require(answer.first.flatMap { UInt8($0) })
    }

    /// A kernel driver has the device's first interface; nil for none.
    static func setDriver(_ name: String?, of address: UInt8) async throws {
        _ = try await order("driver", "\(address)", name ?? "-")
    }

    /// Another program has the device's first interface.
    static func setTaken(_ isTaken: Bool, _ address: UInt8) async throws {
        _ = try await order("taken", "\(address)", isTaken ? "yes" : "no")
    }

    /// The next claim fails: another program was faster.
    static func refuseClaim(_ address: UInt8) async throws { _ = try await order("refuse", "\(address)") }

    /// The next transfer on an endpoint never ends. The default endpoint is 0 for requests to the device, 80 for those
    /// that ask it something.
    static func hold(_ endpoint: UInt8, of address: UInt8) async throws {
        _ = try await order("hold", "\(address)", String(endpoint, radix: 16))
    }

    /// The next transfer on an endpoint fails.
    static func fail(_ endpoint: UInt8, of address: UInt8, with code: Int32) async throws {
        _ = try await order("fail", "\(address)", String(endpoint, radix: 16), "\(code)")
    }

    /// The next transfer on an endpoint is not taken at all.
    static func deny(_ endpoint: UInt8, of address: UInt8, with code: Int32) async throws {
        _ = try await order("deny", "\(address)", String(endpoint, radix: 16), "\(code)")
    }

    /// The machine sleeps, and wakes up with the device still in place: what was under way has ended as if it were gone.
    static func suspend(_ address: UInt8) async throws { _ = try await order("suspend", "\(address)") }

    /// The next transfer on an endpoint carries so many bytes and no more.
    static func shorten(_ endpoint: UInt8, of address: UInt8, to count: Int) async throws {
        _ = try await order("shorten", "\(address)", String(endpoint, radix: 16), "\(count)")
    }

    static func count(_ counter: Counter, of address: UInt8) async throws -> Int {
        let counters = try await order("counters", "\(address)").compactMap { Int($0) }
        return try #require(counters.indices.contains(counter.rawValue) ? counters[counter.rawValue] : nil)
    }

    private static func order(_ words: String...) async throws -> [Substring] {
        let path = try #require(path)
        let line = words.joined(separator: " ")
        let answer = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: exchange(line, at: path)) }
        }
        let parts = answer.split { $0 == " " || $0 == "\n" }
        guard parts.first == "ok" else { throw Refusal(description: "\(line): \(answer)") }
        return Array(parts.dropFirst())
    }

    /// Sends one line, and gives the line that comes back.
    private static func exchange(_ line: String, at path: String) -> String {
        let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        let length = socklen_t(MemoryLayout.size(ofValue: address))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, length) == 0 }
        }
        guard isConnected, send(connection, line, line.utf8.count, 0) == line.utf8.count else { return "no bridge" }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(connection, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
