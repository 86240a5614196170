import CCID
import Determinism
import Glibc
import SmartCard
import Testing
import USB

extension GuestTests {
    @Suite struct UnplugTests {
        @Test(.enabled(if: !Guest.isCardFixed))
        func `unplugged during a command, the command fails at once`() async throws {
            try await ReaderUnderTest.opened(card: "pensive") { under in
                let channel = try await under.channel()
                let exchange = Task {
                    do throws(CardChannelError) {
                        return Result<ResponseAPDU, CardChannelError>.success(
                            try await channel.transmit(try! .select([0xA0, 0, 0, 0, 0x03, 0x10, 0x10])))
                    } catch {
                        return .failure(error)
                    }
                }
                // By now the card works on it, for twenty seconds.
                try await Task.sleep(for: .milliseconds(300))
                let start = ContinuousClock.now
                try await GuestHost.unplugReader()
                let result = await exchange.value
                try await GuestHost.tell("unplugged during a command, failed after", (.now - start).milliseconds, "ms")
                // QEMU takes the card out of its reader before it takes the reader away.
                switch result {
                case .failure(.cardRemoved), .failure(.readerUnavailable): break
                default: Issue.record("\(result)")
                }
                #expect(.now - start < .seconds(10))
                await #expect(throws: CCIDError.readerGone) { try await under.reader.cardStatus() }
            }
        }

        @Test func `unplugged while idle, the bus reports it and the next command fails`() async throws {
            try await ReaderUnderTest.opened { under in
                var events = under.bus.hotplugEvents().makeAsyncIterator()
                _ = try await under.bus.devices()
                let start = ContinuousClock.now
                try await GuestHost.unplugReader()
                while let event = await events.next() {
                    if case .left(let device) = event, ReaderUnderTest.isReader(device) { break }
                }
                try await GuestHost.tell("unplugged, told after", (.now - start).milliseconds, "ms")
                await #expect(throws: CCIDError.readerGone) { try await under.reader.cardStatus() }
            }
        }

        @Test(.enabled(if: !Guest.isCardFixed))
        func `unplugged during the wait for a card, the wait ends`() async throws {
            try await ReaderUnderTest.opened(card: "") { under in
                let wait = Task { try await under.reader.waitForCard(present: true, timeout: .seconds(20)) }
                try await Task.sleep(for: .milliseconds(300))
                let start = ContinuousClock.now
                try await GuestHost.unplugReader()
                await #expect(throws: CCIDError.readerGone) { try await wait.value }
                #expect(.now - start < .seconds(10))
            }
        }

        @Test func `plugged in again, the reader is found, opened, and used`() async throws {
            try await ReaderUnderTest.prepare()
            let bus = try LibUSBBus()
            try await GuestHost.unplugReader()
            while try await ReaderUnderTest.find(on: bus) != nil { try await Task.sleep(for: .milliseconds(5)) }
            var events = bus.hotplugEvents().makeAsyncIterator()
            _ = try await bus.devices()
            try await GuestHost.plugReader()
            let start = ContinuousClock.now
            let kernel = Task { () -> Duration in
                _ = try await ReaderUnderTest.device(on: bus)
                return .now - start
            }
            var arrived: USBDevice?
            while arrived == nil, let event = await events.next() {
                if case .arrived(let device) = event, ReaderUnderTest.isReader(device) { arrived = device }
            }
            let told = ContinuousClock.now - start
            let device = try #require(arrived)
            let reader = try await CCIDReader.open(device, on: bus, time: SystemTimeSource())
            let opened = ContinuousClock.now - start
            let listed = try await kernel.value
            try await GuestHost.tell("plugged in, in the kernel's list after", listed.milliseconds, "ms")
            try await GuestHost.tell("plugged in, told after", told.milliseconds, "ms")
            try await GuestHost.tell("plugged in, open after", opened.milliseconds, "ms")
            // What the driver adds to what the kernel takes.
            try await GuestHost.tell("in the kernel's list, open after", (opened - listed).milliseconds, "ms")
            if !Guest.isCardFixed { try await GuestHost.insertCard(Guest.card) }
            #expect(try await reader.waitForCard(present: true, timeout: .seconds(20)))
            _ = try await reader.powerOn().transmit(.anything)
            await reader.close()
        }

        @Test(.enabled(if: !Guest.isCardFixed))
        func `eight times unplugged and plugged in, nothing is left open`() async throws {
            try await ReaderUnderTest.prepare(card: "")
            let bus = try LibUSBBus()
            try await ReaderUnderTest.opened(on: bus) { _ in }
            let before = try (files: entries("/proc/self/fd"), threads: entries("/proc/self/task"))
            for _ in 1...8 {
                try await ReaderUnderTest.opened(on: bus) { under in
                    try await GuestHost.unplugReader()
                    while try await ReaderUnderTest.find(on: bus) != nil { try await Task.sleep(for: .milliseconds(5)) }
                    await #expect(throws: CCIDError.readerGone) { try await under.reader.cardStatus() }
                }
                try await GuestHost.plugReader()
            }
            #expect(try entries("/proc/self/fd") <= before.files)
            // The pool of the system's queues may have grown by a few.
            #expect(try entries("/proc/self/task") <= before.threads + 4)
        }

        private func entries(_ directory: String) throws -> Int {
            let stream = try #require(opendir(directory))
            defer { closedir(stream) }
            var count = 0
            while readdir(stream) != nil { count += 1 }
            return count
        }
    }
}
