import Determinism
import Foundation
import Testing

@testable import USB

/// The device that Tests/Mock/MockUSBDevice.c plays, as the tests see it that run inside of that program.
struct MockUSBDevice {
    /// What the device counts, in the order in which it tells.
    enum Counter: Int { case claims, releases, detaches, attaches, clearedHalts, resets, pending }

    static var isPresent: Bool { getenv("CARDPRESENT_MOCK_USB_DEVICE") != nil }

    let bus: LibUSBBus
    let transport: any USBTransport

    /// Opens the device, which forgets what earlier tests did to it.
    init() async throws {
        bus = try LibUSBBus()
        let device = try #require(try await bus.devices().first)
        transport = try await bus.open(device)
        try await order(0)
    }

    /// Gives the device one of the orders that Tests/Mock/MockUSBDevice.c lists.
    func order(_ request: UInt8, value: UInt16 = 0, index: UInt16 = 0, data: [UInt8] = []) async throws {
        _ = try await transport.control(
            .output(type: 0x40, request: request, value: value, index: index, data: data), timeout: .seconds(5))
    }

    func count(_ counter: Counter) async throws -> Int {
        let counters = try await transport.control(
            .input(type: 0xC0, request: 0x10, value: 0, index: 0, length: 64), timeout: .seconds(5))
        #expect(counters.count == 7)
        return Int(counters[counter.rawValue])
    }

    /// Starts a read that nothing will answer, and returns when the device has it.
    func startUnansweredRead() async throws -> Task<[UInt8], any Error> {
        let before = try await count(.pending)
        let task = Task { [transport] in
            try await transport.bulkIn(endpoint: 0x82, maximumLength: 64, timeout: .seconds(30))
        }
        for _ in 0..<10_000 {
            if try await count(.pending) > before { return task }
            await Task.yield()
        }
        Issue.record("the read never reached the device")
        return task
    }

    /// The device is the process that started this one.
    static func pullOut() { kill(getppid(), SIGUSR2) }
    static func plugIn() { kill(getppid(), SIGUSR1) }
}
