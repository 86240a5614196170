import CCID
import Determinism
import EMV
import Foundation
import Glibc
import PCSC
import Simulator
import SmartCard
import Testing
import USB

extension WithPCSCD {
    /// Our side of pcscd: what the driver of our own does with a reader, done with a reader that is shared.
    @Suite("A reader shared through pcscd")
    struct SharedReaderTests {
        private let scratch: Scratch
        private let virtual: VirtualReader

        init() throws {
            scratch = try Scratch()
            virtual = try VirtualReader()
        }

        private func reader(_ timing: PCSCTiming = PCSCTiming()) async throws -> PCSCReader {
            let reader = try await PCSCReader.open(VirtualReader.name, timing: timing)
            try #require(await reader.waitForCard(present: true, timeout: .seconds(10)))
            return reader
        }

        private static func chip(_ name: String) throws -> SimulatedEMVCard {
            try SimulatedEMVCard(
                profile: CardProfileLibrary.profile(name), keys: TestKeys.embedded(),
                random: SeededRandomSource(seed: 7))
        }

        @Test(arguments: ["visa-credit", "t1-card", "mastercard-credit", "aes-card", "issuer-script"])
        func `a payment exchanges the same bytes as with our own driver`(name: String) async throws {
            let clock = SimulationClock(SystemTimeSource())
            let bus = SimulatedUSBBus(clock: clock)
            let device = SimulatedCCIDReader(model: .tpdu, clock: clock)
            bus.plug(device)
            device.insert(try Self.chip(name))
            let driver = try await CCIDReader.open(try #require(await bus.devices().first), on: bus, time: clock)
            let own = RecordingChannel(try await driver.powerOn())
            let ownOutcome = try await Terminal(profile: name).pay(with: own)
            await driver.close()

            let bridge = CardBridge(
                .vpcd, at: try #require(BridgeAddress(virtual.address)), card: try Self.chip(name),
                time: SystemTimeSource(),
                cardTime: VirtualTimeSource())
            let serving = Task { () -> Void in try? await bridge.serve() }
            let reader = try await reader()
            let shared = RecordingChannel(try await reader.powerOn())
            let sharedOutcome = try await Terminal(profile: name).pay(with: shared)
            await reader.close()
            serving.cancel()
            await serving.value

            #expect(shared.exchanges == own.exchanges)
            #expect(shared.exchanges.count > 5)
            #expect(String(describing: sharedOutcome) == String(describing: ownOutcome))
            #expect(sharedOutcome.decision == .approvedOnline)
        }

        @Test func `while a card is powered other programs cannot access it, and later they see that it was reset`()
            async throws
        {
            let child = try virtual.card("visa-credit", in: scratch)
            let reader = try await reader()
            let other = try await PCSCContext.establish().connect(VirtualReader.name)
            let select: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]
            #expect(try await other.transmit(select).first == 0x61)
            let channel = try await reader.powerOn()
            let between = Task { () -> Result<[UInt8], PCSCError> in
                do throws(PCSCError) { return .success(try await other.transmit(select)) } catch {
                    return .failure(error)
                }
            }
            for _ in 0..<20 { #expect(try await channel.transmit(CommandAPDU(0, 0xB2, 1, 0x0C, le: 0)).data.isEmpty) }
            await reader.powerOff()
            #expect(await between.value == .failure(.failed(.transmit, .resetCard)))
            // It was left without power.
            try await other.reconnect(.reset)
            #expect(try await other.transmit(select).first == 0x61)
            try await other.disconnect()
            await reader.close()
            child.send(SIGTERM)
            #expect(try child.result().status == 0)
        }

        @Test func `a card held by another program is waited for until a timeout, and used when it is free`()
            async throws
        {
            let child = try virtual.card("visa-credit", in: scratch)
            var timing = PCSCTiming()
            timing.sharing = .milliseconds(300)
            let reader = try await reader(timing)
            // Another program that requests exclusive access, and one in the middle of a transaction.
            for sharing in [PCSCSharing.exclusive, .shared] {
                let other = try await PCSCContext.establish().connect(VirtualReader.name, sharing: sharing)
                if sharing == .shared { try await other.beginTransaction() }
                do throws(PCSCError) {
                    _ = try await reader.powerOn()
                    Issue.record("the card was taken")
                } catch {
                    // This very process is the other one, and is never named to itself.
                    guard case .heldByAnother(let clients) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                    #expect(!clients.contains { $0.pid == getpid() })
                }
                let canceled = Task { (try? await reader.powerOn()) == nil }
                canceled.cancel()
                #expect(await canceled.value)
                try await other.disconnect()
            }
            let channel = try await reader.powerOn()
            #expect(try await channel.transmit(CommandAPDU(0, 0xB2, 1, 0x0C, le: 0)).data.isEmpty)
            await reader.close()
            child.send(SIGTERM)
            #expect(try child.result().status == 0)
        }

        @Test func `a wait for a transaction times out, and a late transaction is released`()
            async throws
        {
            let child = try virtual.card("visa-credit", in: scratch)
            try await reader().close()
            let (holder, waiter) = (try await PCSCContext.establish(), try await PCSCContext.establish())
            let holding = try await holder.connect(VirtualReader.name)
            let waiting = try await waiter.connect(VirtualReader.name)
            try await holding.beginTransaction()
            await #expect(throws: PCSCError.timedOut(.beginTransaction)) {
                try await waiting.beginTransaction(within: .milliseconds(200))
            }
            #expect(waiter.isClosed)
            // The other contexts of the process are not held up meanwhile.
            #expect(try await holder.readers() == [VirtualReader.name, VirtualReader.secondName])
            try await holding.endTransaction()
            let next = try await holder.connect(VirtualReader.name)
            try await next.beginTransaction()
            try await next.disconnect(.unpower)
            await holder.release()
            await waiter.release()
            child.send(SIGTERM)
            #expect(try child.result().status == 0)
        }

        @Test func `a canceled wait for a card ends at once, and the reader still works`() async throws {
            let reader = try await PCSCReader.open(VirtualReader.name)
            for _ in 0..<20 {
                let waiting = Task { () -> PCSCError? in
                    do throws(PCSCError) {
                        _ = try await reader.waitForCard(present: true, timeout: .seconds(60))
                        return nil
                    } catch { return error }
                }
                try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
                waiting.cancel()
                #expect(await waiting.value == .canceled)
            }
            #expect(try await reader.state().flags == .empty)
            await reader.close()
            await #expect(throws: PCSCError.closed) { _ = try await reader.state() }
        }

        @Test func `a removed card and a stopped pcscd are distinguished`() async throws {
            let child = try virtual.card("visa-credit", in: scratch)
            let reader = try await reader()
            var channel = try await reader.powerOn()
            child.send(SIGKILL)
            _ = try child.result()
            await #expect(throws: CardChannelError.cardRemoved) {
                while true { _ = try await channel.transmit(CommandAPDU(0, 0xB2, 1, 0x0C, le: 0)) }
            }
            #expect(try await reader.waitForCard(present: false, timeout: .zero))

            let again = try virtual.card("visa-credit", in: scratch)
            try #require(await reader.waitForCard(present: true, timeout: .seconds(10)))
            channel = try await reader.powerOn()
            virtual.stop()
            await #expect(
                throws: CardChannelError.readerUnavailable(
                    "pcscd is not running (SCARD_E_NO_SERVICE): sudo systemctl start pcscd")
            ) { _ = try await channel.transmit(CommandAPDU(0, 0xB2, 1, 0x0C, le: 0)) }
            await reader.close()
            again.send(SIGTERM)
            _ = try again.result()
        }
    }
}
