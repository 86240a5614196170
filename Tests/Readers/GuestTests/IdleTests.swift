import CardSecrets
import Determinism
import EMV
import Glibc
import Hardware
import Simulator
import Testing
import USB

extension GuestTests {
    @Suite struct IdleTests {
        /// There is no error.
        private struct Nobody: CardholderInterface {
            func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { nil }
            func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .unavailable }
            func encipherPIN(
                _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
            ) async -> EncipheredPINBlock? { nil }
        }

        @Test(.enabled(if: !Guest.isCardFixed))
        func `an idle connected service uses no processor time`() async throws {
            try await ReaderUnderTest.prepare()
            let (time, random) = (SystemTimeSource(), SystemRandomSource())
            let issuer = try SimulatedIssuer(accounts: [], keys: TestKeys.embedded(), time: time, random: random)
            let service = LocalCardReaderService(
                sources: [USBCardReaderSource(try LibUSBBus(), time: time)], host: issuer, terminal: .standard,
                cardholder: Nobody(), time: time, random: random)
            try await service.start(.usb)
            var lists = await service.discoveredReaders.makeAsyncIterator()
            let reader = try #require(await lists.next()?.first)
            _ = try await service.connect(reader)
            try await Task.sleep(for: .seconds(1))
            let before = try wakeups()
            // Without a timer of the runtime's, whose wakeups would count.
            sleep(10)
            let after = try wakeups()
            let counts = after.map { thread, count in (thread, count - (before[thread] ?? 0)) }.filter { $0.1 > 0 }
            // libdispatch, on which Swift's tasks run, looks at its threads once a second, in a program that does
            // nothing at all too (https://github.com/swiftlang/swift-corelibs-libdispatch, src/queue.c,
            // _dispatch_workq_monitor_pools). It does so on this thread.
            let ofLibdispatch = counts.filter { $0.0.hasSuffix("qos.overcommit") }.map(\.1).reduce(0, +)
            // This thread's one is the sleep itself.
            let own = counts.map(\.1).reduce(-1 - ofLibdispatch, +)
            try await GuestHost.tell("idle for 10 s, woke up", Double(own), "times")
            try await GuestHost.tell("idle for 10 s, libdispatch woke up", Double(ofLibdispatch), "times")
            // An event, such as the card's notice that came late, may be among them.
            #expect(own <= 2, "\(counts)")
            #expect(ofLibdispatch <= 12, "\(counts)")
            try await service.disconnect()
            await service.clear()
        }

        /// The number of voluntary context switches of each thread, by number and name.
        private func wakeups() throws -> [String: Int] {
            let stream = try #require(opendir("/proc/self/task"))
            defer { closedir(stream) }
            var counts: [String: Int] = [:]
            while let entry = readdir(stream) {
                let number = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard let status = text("/proc/self/task/\(number)/status") else { continue }
                func field(_ name: String) -> String? {
                    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
                    return line?.split(whereSeparator: \.isWhitespace).last.map(String.init)
                }
                counts["\(number) \(field("Name") ?? "")"] = field("voluntary_ctxt_switches").flatMap { Int($0) }
            }
            return counts
        }

        private func text(_ path: String) -> String? {
            guard let file = fopen(path, "r") else { return nil }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 8192)
            let count = fread(&bytes, 1, bytes.count, file)
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }
}
