import CCID
import Determinism
import Dispatch
import Glibc
import SmartCard
import Testing
import USB

/// The machine outside the guest. It moves readers and cards when it is asked to (Scripts/guest/agent.bash).
enum GuestHost {
    struct Refusal: Error, CustomStringConvertible {
        var description: String
    }

    /// The longest wait for an answer, in milliseconds.
    private static let answerTimeout: Int32 = 120_000

    /// Plugs the reader in, with the card that is under test if it is part of the reader.
    static func plugReader() async throws { try await ask(Guest.isCardFixed ? "plug\tlibcacard" : "plug") }

    static func unplugReader() async throws { try await ask("unplug") }

    /// Puts a card into the reader: the name of a profile or the path of one below the repository's root.
    static func insertCard(_ profile: String) async throws { try await ask("insert\t\(profile)") }

    static func removeCard() async throws { try await ask("remove") }

    /// Reports a value for the table.
    static func tell(_ figure: String, _ value: Double, _ unit: String) async throws {
        let thousandths = (value * 1000).rounded() / 1000
        try await ask("figure\t\(Guest.controller)\t\(Guest.card)\t\(figure)\t\(thousandths)\t\(unit)")
    }

    private static func ask(_ request: String) async throws {
        // The port's calls block, and a Swift task's thread is not theirs to block.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try exchange(request) }) }
        }
    }

    private static func exchange(_ request: String) throws {
        let number = "\(getpid()).\(UInt32.random(in: .min ... .max))"
        let path = Guest.port ?? ""
        let port = open(path, O_RDWR | O_CLOEXEC)
        guard port >= 0 else { throw Refusal(description: "\(path): \(String(cString: strerror(errno)))") }
        defer { close(port) }
        let line = Array("\(number)\t\(request)\n".utf8)
        guard write(port, line, line.count) == line.count else {
            throw Refusal(description: "the port takes no request")
        }
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 512)
        while true {
            var watched = pollfd(fd: port, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, answerTimeout) > 0 else { throw Refusal(description: "the host does not answer") }
            let count = read(port, &chunk, chunk.count)
            guard count > 0 else { throw Refusal(description: "the port was closed") }
            received += chunk.prefix(count)
            while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let fields = String(decoding: received[..<end], as: UTF8.self).split(separator: "\t")
                received.removeSubrange(...end)
                // A late answer to another request.
                guard fields.first.map(String.init) == number else { continue }
                guard fields.dropFirst().first == "ok" else {
                    throw Refusal(description: fields.dropFirst().joined(separator: " "))
                }
                return
            }
        }
    }
}

/// QEMU's reader, opened by the driver.
struct ReaderUnderTest {
    let bus: LibUSBBus
    let device: USBDevice
    let reader: CCIDReader

    /// Prepares the reader and lends it, open, to a test. It is closed afterwards, or the next test would find it busy.
    static func opened(
        card: String = Guest.card, _ test: (ReaderUnderTest) async throws -> Void
    ) async throws {
        try await prepare(card: card)
        try await opened(on: LibUSBBus(), test)
    }

    /// Lends the reader, open, to a test.
    static func opened(on bus: LibUSBBus, _ test: (ReaderUnderTest) async throws -> Void) async throws {
        let under = try await ReaderUnderTest(on: bus)
        do {
            try await test(under)
        } catch {
            await under.reader.close()
            throw error
        }
        await under.reader.close()
    }

    /// Sees to it that the reader is plugged in, with a card or, for an empty name, without one. What an earlier test
    /// left behind does not matter.
    static func prepare(card: String = Guest.card) async throws {
        if try await find(on: LibUSBBus()) == nil {
            // The kernel may not have seen yet what the host has done.
            try? await GuestHost.unplugReader()
            try await GuestHost.plugReader()
            _ = try await device(on: LibUSBBus())
        }
        guard !Guest.isCardFixed else { return }
        if card.isEmpty { try await GuestHost.removeCard() } else { try await GuestHost.insertCard(card) }
    }

    private init(on bus: LibUSBBus) async throws {
        self.bus = bus
        device = try await Self.device(on: bus)
        reader = try await CCIDReader.open(device, on: bus, time: SystemTimeSource())
    }

    /// The reader's device, as soon as the kernel has it.
    static func device(on bus: LibUSBBus) async throws -> USBDevice {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            if let found = try await find(on: bus) { return found }
            try #require(ContinuousClock.now < deadline, "the kernel does not show the reader")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    static func find(on bus: LibUSBBus) async throws -> USBDevice? {
        try await bus.devices().first { isReader($0) && $0.configuration != nil }
    }

    static func isReader(_ device: USBDevice) -> Bool {
        device.descriptor.vendorID == 0x08E6 && device.descriptor.productID == 0x4433
    }

    /// Powers the card when it is in the reader.
    func channel() async throws -> CCIDCardChannel {
        try #require(try await reader.waitForCard(present: true, timeout: .seconds(20)), "no card in the reader")
        return try await reader.powerOn()
    }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}

/// The guest in which Scripts/test-usb runs these tests. Outside it there is no reader to try.
enum Guest {
    /// The port on which the host takes requests; nil outside the guest.
    static let port = environment("CARDPRESENT_GUEST")
    /// The host controller that the reader is at.
    static let controller = environment("CONTROLLER") ?? ""
    /// The card that is to be in the reader: the name of a profile, or `libcacard`.
    static let card = environment("CARDPRESENT_GUEST_CARD") ?? ""
    /// Whether the card is QEMU's own, which cannot be removed.
    static var isCardFixed: Bool { card == "libcacard" }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension CommandAPDU {
    /// A command that every card answers, if only by saying that it does not know it: GET DATA of the PIN tries.
    static let anything = CommandAPDU(0x00, 0xCA, 0x9F, 0x17, le: 0)

    /// SELECT by name.
    static func select(_ name: [UInt8]) throws -> CommandAPDU {
        try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x04, p2: 0x00, data: name, expectedLength: 256)
    }
}
