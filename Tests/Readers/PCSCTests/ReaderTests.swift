import CardSecrets
import Determinism
import Glibc
import SmartCard
import Synchronization
import Testing

@testable import PCSC

/// SCARD_STATE_EMPTY, SCARD_STATE_PRESENT, SCARD_STATE_UNKNOWN | SCARD_STATE_UNAVAILABLE
private let (empty, present, gone) = (UInt(0x0010), UInt(0x0020), UInt(0x000C))

extension WithFakeDaemon {
    @Suite("A card behind pcscd") struct ReaderTests {
        private static let name = "Reader 00 00"
        private let clock = ManualTime()

        /// A reader in which something is; `state` is asked each time.
        private func reader(
            _ state: @escaping @Sendable () -> UInt = { present },
            change: (inout FakeDaemon.Script) -> Void = { _ in }
        ) async throws -> (reader: PCSCReader, daemon: FakeDaemon) {
            let daemon = FakeDaemon {
                $0.change = { known, milliseconds in
                    let now = state()
                    let isNews = known.first?.state != now || milliseconds == 0
                    return (isNews ? .init() : .failed(.timeout), known.map { .init(reader: $0.reader, state: now) })
                }
                change(&$0)
            }
            return (try await PCSCReader.open(Self.name, library: daemon.library, time: clock), daemon)
        }

        private func select(le: Int? = 256) throws -> CommandAPDU {
            try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: [0xA0], expectedLength: le)
        }

        // MARK: Opening and presence

        @Test func `an unknown reader is rejected with the available ones`() async throws {
            let daemon = FakeDaemon()
            await #expect(throws: PCSCError.noSuchReader("Other", known: [Self.name])) {
                _ = try await PCSCReader.open("Other", library: daemon.library, time: clock)
            }
            #expect(daemon.calls == ["release"])
            #expect(
                PCSCError.noSuchReader("Other", known: ["A", "B"]).description
                    == "pcscd has no reader 'Other': it has 'A', 'B'")
        }

        @Test func `a present card, an inserted one, and a missing one`() async throws {
            let looks = Mutex(0)
            let (reader, _) = try await reader {
                looks.withLock {
                    $0 += 1
                    return $0 < 3 ? empty : present
                }
            }
            #expect(try await reader.waitForCard(present: true, timeout: .seconds(5)))
            #expect(try await reader.waitForCard(present: true, timeout: .zero))
            #expect(try await !reader.waitForCard(present: false, timeout: .zero))
        }

        @Test func `a card that was removed and inserted again counts as removed, once`() async throws {
            let state = Mutex(present | 1 << 16)
            let (reader, _) = try await reader { state.withLock { $0 } }
            _ = try await reader.powerOn()
            #expect(try await !reader.waitForCard(present: false, timeout: .zero))
            state.withLock { $0 = present | 3 << 16 }
            #expect(try await reader.waitForCard(present: false, timeout: .zero))
            #expect(try await !reader.waitForCard(present: false, timeout: .zero))
        }

        @Test func `a reader that is unplugged during a wait is reported as such`() async throws {
            let looks = Mutex(0)
            let (reader, _) = try await reader {
                looks.withLock {
                    $0 += 1
                    return $0 < 3 ? empty : gone
                }
            }
            await #expect(throws: PCSCError.failed(.getStatusChange, .readerUnavailable)) {
                _ = try await reader.waitForCard(present: true, timeout: .seconds(5))
            }
        }

        // MARK: PIN

        /// Sends VERIFY and wipes the block, as the kernel does.
        private func verify(_ inverted: [UInt8], _ channel: PCSCCardChannel) async throws -> StatusWord {
            var block = inverted.map { ~$0 }
            defer { block.wipe() }
            return try await send(block, channel)
        }

        private func send(_ block: [UInt8], _ channel: PCSCCardChannel) async throws -> StatusWord {
            try await channel.transmit(
                CommandAPDU(cla: 0, ins: 0x20, p1: 0, p2: 0x80, data: block, expectedLength: nil)
            ).status
        }

        @Test(arguments: [1, 2] as [UInt8])
        func `the PIN block of a VERIFY is wiped from memory after the response`(
            transmissionProtocol: UInt8
        ) async throws {
            let (reader, _) = try await reader(change: {
                $0.connect = { .init(bytes: [transmissionProtocol]) }
                $0.reconnect = { _ in .init(bytes: [transmissionProtocol]) }
            })
            let channel = try await reader.powerOn()
            // Eight bytes like no others, each bit inverted.
            let block = [~0x24] + SystemRandomSource().bytes(7)
            #expect(try await verify(block, channel) == .success)
            #expect(try await ProcessMemory.forgets(inverted: block))
            await reader.close()
        }

        // MARK: Power

        @Test func `a card is used exclusively, reset, and released without power`() async throws {
            let (reader, daemon) = try await reader()
            let channel = try await reader.powerOn()
            #expect(channel.transmissionProtocol == 0)
            #expect(channel.atr.bytes == [0x3B, 0x60, 0, 0])
            #expect(!channel.hasPINPad)
            await reader.powerOff()
            await reader.close()
            // Shared, T=0 or T=1; the reset is a cold one; 2 takes the power away.
            #expect(
                daemon.calls == [
                    "connect \(Self.name) 2 3", "begin", "reconnect 2 3 2", "control 42000d48 ", "disconnect 2",
                    "release",
                ])
        }

        @Test func `a card whose ATR breaks the EMV rules gets one warm reset`() async throws {
            // TB1 is missing: good after a warm reset only.
            let (reader, daemon) = try await reader(change: { $0.status = { .init(bytes: [0x3B, 0x40, 0x0A]) } })
            _ = try await reader.powerOn()
            #expect(daemon.calls.filter { $0.hasPrefix("reconnect") } == ["reconnect 2 3 2", "reconnect 2 3 1"])

            daemon.script.withLock { $0.status = { .init(bytes: [0x3B, 0xF0]) } }
            await #expect(throws: PCSCError.answerToReset(.notAnATR(.truncated(offset: 2)))) {
                _ = try await reader.powerOn()
            }
            #expect(daemon.calls.last == "disconnect 2")
        }

        // PC/SC part 3 §3.1.3.2.3: the answer that a reader makes for a card without contacts, here that of a DESFire
        @Test func `a card without contacts is known by its answer to reset, whatever the reader's name is`()
            async throws
        {
            let answer: [UInt8] = [0x3B, 0x81, 0x80, 0x01, 0x80, 0x80]
            let (reader, daemon) = try await reader(change: { $0.status = { .init(bytes: answer) } })
            #expect(!reader.isContactless)
            let channel = try await reader.powerOn()
            #expect(channel.contactless == .card(historicalBytes: [0x80]))
            // No warm reset: the rules for contact cards do not apply.
            #expect(daemon.calls.filter { $0.hasPrefix("reconnect") } == ["reconnect 2 3 2"])
        }

        @Test(arguments: [UInt(34), .max])
        func `an answer to reset that is too long is rejected`(length: UInt) async throws {
            let (reader, daemon) = try await reader(change: { $0.status = { .init(bytes: [0x3B], length: length) } })
            await #expect(throws: PCSCError.malformedAnswer(.status, "\(length) bytes where 33 were to be had")) {
                _ = try await reader.powerOn()
            }
            #expect(daemon.calls.last == "disconnect 2")
        }

        @Test func `an empty reader, a mute card, and a card with another protocol`() async throws {
            let (emptied, _) = try await reader { empty }
            await #expect(throws: PCSCError.cardAbsent) { _ = try await emptied.powerOn() }
            let (muted, _) = try await reader(change: { $0.connect = { .failed(.unresponsiveCard) } })
            await #expect(throws: PCSCError.failed(.connect, .unresponsiveCard)) { _ = try await muted.powerOn() }
            let (raw, daemon) = try await reader(change: { $0.reconnect = { _ in .init(bytes: [4]) } })
            await #expect(throws: PCSCError.noCommonProtocol) { _ = try await raw.powerOn() }
            #expect(daemon.calls.last == "disconnect 2")
        }

        @Test func `a card that another program uses exclusively is waited for`() async throws {
            let tries = Mutex(0)
            let (reader, _) = try await reader(change: {
                $0.connect = {
                    tries.withLock {
                        $0 += 1
                        return $0 < 4 ? .failed(.sharingViolation) : .init(bytes: [1])
                    }
                }
            })
            let powering = Task { (try? await reader.powerOn()) != nil }
            #expect(await clock.pass(until: powering))
            #expect(tries.withLock { $0 } == 4)
        }

        @Test func `the wait for a card held by another program ends at its timeout, and on cancellation`()
            async throws
        {
            let (reader, _) = try await reader(change: { $0.connect = { .failed(.sharingViolation) } })
            let powering = Task { await Self.outcome { _ = try await reader.powerOn() } }
            guard case .heldByAnother = await clock.pass(until: powering) else {
                Issue.record("\(String(describing: await powering.value))")
                return
            }
            let canceled = Task { await Self.outcome { _ = try await reader.powerOn() } }
            canceled.cancel()
            #expect(await canceled.value == .canceled)
            #expect(
                PCSCError.heldByAnother([
                    PCSCClient(name: "scdaemon", pid: 12), PCSCClient(name: "firefox-esr", pid: 99),
                ]).description
                    == """
                    another program uses the card, perhaps scdaemon (process 12) or firefox-esr \
                    (process 99): gpgconf --kill scdaemon
                    """)
        }

        @Test func `after a call that did not return the next activation has a new connection`() async throws {
            let isStuck = Mutex(true)
            let (reader, daemon) = try await reader(change: {
                $0.connect = {
                    while isStuck.withLock({ $0 }) { usleep(200) }
                    return .init(bytes: [1])
                }
            })
            let first = Task { await Self.outcome { _ = try await reader.powerOn() } }
            guard case .heldByAnother = await clock.pass(until: first) else {
                Issue.record("\(String(describing: await first.value))")
                return
            }
            isStuck.withLock { $0 = false }
            _ = try await reader.powerOn()
            #expect(daemon.calls.filter { $0.hasPrefix("connect") }.count == 2)
        }

        // MARK: Exchange

        @Test func `with T=0 the response is fetched, and a wrong length corrected`() async throws {
            let (reader, daemon) = try await reader(change: {
                $0.transmit = { command in
                    switch hex(command) {
                    case "00A4040001A0": .init(bytes: [0x61, 0x02])
                    case "00C0000002": .init(bytes: [1, 2, 0x90, 0])
                    case "00B2010C00": .init(bytes: [0x6C, 0x03])
                    case "00B2010C03": .init(bytes: [7, 8, 9, 0x90, 0])
                    default: .failed(.notTransacted)
                    }
                }
            })
            let channel = try await reader.powerOn()
            #expect(try await channel.transmit(select()) == ResponseAPDU(data: [1, 2], status: .success))
            #expect(
                try await channel.transmit(CommandAPDU(0, 0xB2, 1, 0x0C, le: 0))
                    == ResponseAPDU(data: [7, 8, 9], status: .success))
            #expect(
                daemon.calls.filter { $0.hasPrefix("transmit") } == [
                    "transmit 1 00A4040001A0", "transmit 1 00C0000002", "transmit 1 00B2010C00",
                    "transmit 1 00B2010C03",
                ])
        }

        @Test func `with T=1 commands of any length are sent unchanged`() async throws {
            let (reader, daemon) = try await reader(change: {
                $0.reconnect = { _ in .init(bytes: [2]) }
                $0.transmit = { .init(bytes: Array(repeating: 5, count: $0.count > 300 ? 65_536 : 0) + [0x90, 0]) }
            })
            let channel = try await reader.powerOn()
            #expect(channel.transmissionProtocol == 1)
            #expect(try await channel.transmit(select()) == ResponseAPDU(status: .success))
            #expect(daemon.calls.last == "transmit 2 00A4040001A000")
            let long = try CommandAPDU(
                cla: 0, ins: 0xD6, p1: 0, p2: 0, data: Array(repeating: 1, count: 300), expectedLength: 65_536)
            #expect(try await channel.transmit(long).data.count == 65_536)
            #expect(daemon.calls.last?.hasPrefix("transmit 2 00D6000000012C0101") == true)
        }

        @Test func `commands that T=0 does not support are rejected, and the card stays usable`() async throws {
            let (reader, daemon) = try await reader()
            let channel = try await reader.powerOn()
            let long = try CommandAPDU(
                cla: 0, ins: 0xD6, p1: 0, p2: 0, data: Array(repeating: 1, count: 300), expectedLength: nil)
            let before = daemon.calls
            await #expect(throws: CardChannelError.notSupported(T0Error.extendedLengthNotSupported.description)) {
                _ = try await channel.transmit(long)
            }
            #expect(daemon.calls == before)
            #expect(try await channel.transmit(select(le: nil)).status == .success)
        }

        @Test(arguments: [
            (PCSCErrorCode.removedCard, CardChannelError.cardRemoved), (.noSmartCard, .cardRemoved),
            (.unresponsiveCard, .cardMute), (.unpoweredCard, .cardMute),
            (
                .resetCard,
                .protocolViolation("another program reset the card (SCARD_W_RESET_CARD): insert it again")
            ),
            (
                .readerUnavailable,
                .readerUnavailable("the reader is gone (SCARD_E_READER_UNAVAILABLE): plug it in again")
            ),
        ])
        func `a failed exchange ends the session with the card`(code: PCSCErrorCode, error: CardChannelError)
            async throws
        {
            let (reader, daemon) = try await reader(change: { $0.transmit = { _ in .failed(code) } })
            let channel = try await reader.powerOn()
            await #expect(throws: error) { _ = try await channel.transmit(select()) }
            daemon.script.withLock { $0.transmit = { _ in .init(bytes: [0x90, 0]) } }
            await #expect(
                throws: CardChannelError.protocolViolation(
                    "an earlier exchange with the card failed: power it on again")
            ) { _ = try await channel.transmit(select()) }
            let again = try await reader.powerOn()
            #expect(try await again.transmit(select()).status == .success)
            await #expect(
                throws: CardChannelError.protocolViolation("the card was powered off or reset since: power it on again")
            ) { _ = try await channel.transmit(select()) }
        }

        @Test(arguments: [
            (PCSCErrorCode.noService, "pcscd is not running (SCARD_E_NO_SERVICE): sudo systemctl start pcscd"),
            (.communicationError, "the connection to pcscd broke (SCARD_F_COMM_ERROR): sudo systemctl restart pcscd"),
        ])
        func `without the daemon the reader is no longer usable`(code: PCSCErrorCode, text: String) async throws {
            let (reader, daemon) = try await reader(change: { $0.transmit = { _ in .failed(code) } })
            let channel = try await reader.powerOn()
            await #expect(throws: CardChannelError.self) { _ = try await channel.transmit(select()) }
            daemon.script.withLock { $0.transmit = { _ in .init(bytes: [0x90, 0]) } }
            let error = await #expect(throws: PCSCError.self) { _ = try await reader.powerOn() }
            #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
        }

        /// pcscd reports a silent card and a removed one in the same way, and notices the latter some time
        /// after.
        @Test(
            arguments: [
                (present, nil), (empty, CardChannelError.cardRemoved),
                (gone, .readerUnavailable("the reader is gone (SCARD_E_READER_UNAVAILABLE): plug it in again")),
            ] as [(UInt, CardChannelError?)])
        func `the reason of a failed exchange is determined`(after: UInt, error: CardChannelError?) async throws {
            let state = Mutex(present)
            let (reader, _) = try await reader(
                { state.withLock { $0 } },
                change: {
                    $0.transmit = { _ in
                        state.withLock { $0 = after }
                        return .failed(.notTransacted)
                    }
                })
            let channel = try await reader.powerOn()
            let command = try select()
            let exchange = Task { () -> CardChannelError? in
                do throws(CardChannelError) {
                    _ = try await channel.transmit(command)
                    return nil
                } catch { return error }
            }
            #expect(
                await clock.pass(until: exchange)
                    == error
                    ?? .protocolViolation("the exchange with the card failed (SCARD_E_NOT_TRANSACTED): insert it again")
            )
        }

        @Test func `a canceled task waits for the current response, and sends nothing more`() async throws {
            let isAsked = Mutex(false)
            let isOver = Mutex(false)
            let (reader, daemon) = try await reader(change: {
                $0.transmit = { _ in
                    isAsked.withLock { $0 = true }
                    while !isOver.withLock({ $0 }) { usleep(200) }
                    return .init(bytes: [0x61, 0x10])
                }
            })
            let channel = try await reader.powerOn()
            let command = try select()
            let exchange = Task { () -> CardChannelError? in
                do throws(CardChannelError) {
                    _ = try await channel.transmit(command)
                    return nil
                } catch { return error }
            }
            while !isAsked.withLock({ $0 }) { await Task.yield() }
            exchange.cancel()
            try await Task.sleep(for: .milliseconds(5))
            isOver.withLock { $0 = true }
            #expect(await exchange.value == .canceled)
            #expect(daemon.calls.filter { $0.hasPrefix("transmit") }.count == 1)
            await reader.powerOff()
            #expect(daemon.calls.last == "disconnect 2")
        }

        @Test(arguments: [UInt(65_539), 1 << 40, .max])
        func `a response that is too long is rejected`(length: UInt) async throws {
            let (reader, _) = try await reader(change: { $0.transmit = { _ in .init(bytes: [1, 2], length: length) } })
            let channel = try await reader.powerOn()
            await #expect(
                throws: CardChannelError.protocolViolation(
                    "SCardTransmit returned \(length) bytes where 65538 were to be had")
            ) { _ = try await channel.transmit(select()) }
        }

        @Test func `with any results of pcscd, every call ends, and some succeed`() async throws {
            var (answers, errors) = (0, 0)
            for seed in 0..<300 as Range<UInt64> {
                let noise = Noise(seed)
                let (reader, _) = try await reader(change: {
                    $0.status = { noise.reply(good: [0x3B, 0x60, 0, 0]) }
                    $0.connect = { noise.reply(good: [1]) }
                    $0.reconnect = { _ in noise.reply(good: [seed % 2 == 0 ? 1 : 2]) }
                    $0.begin = { noise.reply(good: []) }
                    $0.transmit = { _ in noise.reply(good: [1, 2, 3, 0x90, 0]) }
                    $0.control = { _, _ in noise.reply(good: [6, 4, 0x42, 0, 0x0D, 0x4B]) }
                })
                let command = try select()
                let run = Task { () -> (Int, Int) in
                    do {
                        let channel = try await reader.powerOn()
                        for round in 0..<5 {
                            do { _ = try await channel.transmit(command) } catch { return (round, 1) }
                        }
                        _ = try await channel.verifyPIN(PINPadEntry(seconds: 5))
                        return (5, 0)
                    } catch { return (0, 1) }
                }
                let (good, bad) = await clock.pass(until: run)
                (answers, errors) = (answers + good, errors + bad)
                await reader.close()
            }
            #expect(answers > 0)
            #expect(errors > 0)
        }

        private static func outcome(_ body: () async throws -> Void) async -> PCSCError? {
            do {
                try await body()
                return nil
            } catch { return error as? PCSCError }
        }
    }
}

/// Now and then something else than what is good.
private final class Noise: Sendable {
    private let random: Mutex<SeededRandomSource>

    init(_ seed: UInt64) { random = Mutex(SeededRandomSource(seed: seed)) }

    func reply(good: [UInt8]) -> FakeDaemon.Reply {
        let dice = random.withLock { $0.bytes(16) }
        switch dice[0] {
        case ..<200: return .init(bytes: good)
        case ..<215: return .failed(PCSCErrorCode(rawValue: 0x8010_0000 | UInt32(dice[1] & 0x7F)))
        case ..<225: return .init(bytes: Array(dice.prefix(Int(dice[1] & 0x0F))))
        case ..<235: return .init(bytes: good, length: UInt(dice[1]))
        case ..<245: return .init(bytes: good, length: .max)
        default: return .init(bytes: [])
        }
    }
}
