import Glibc
import PCSC
import Testing

extension WithPCSCD {
    @Suite("A payment with a card that another program holds")
    struct HeldCardTests {
        private let scratch: Scratch
        private let virtual: VirtualReader

        init() throws {
            scratch = try Scratch()
            virtual = try VirtualReader()
        }

        private func pay() throws -> Child {
            try Child(
                ["pay", "12.50", "--reader", "pcsc:" + VirtualReader.name, "--database", scratch.database, "--json"],
                in: scratch, environment: virtual.environment)
        }

        private func hold(_ sharing: PCSCSharing) async throws -> PCSCCard {
            let reader = try await PCSCReader.open(VirtualReader.name)
            try #require(await reader.waitForCard(present: true, timeout: .seconds(10)))
            await reader.close()
            return try await PCSCContext.establish().connect(VirtualReader.name, sharing: sharing)
        }

        @Test func `fails with the name of the program, and nothing is charged`() async throws {
            let card = try virtual.card("visa-credit", in: scratch)
            let holder = try await hold(.exclusive)
            let result = try pay().result()
            #expect(result.status == 5)
            let error = try #require(try result.object()["error"] as? [String: String])
            #expect(error["code"] == "reader_busy")
            #expect(
                error["message"]?.hasPrefix("the reader is busy: another program uses the card, perhaps ")
                    == true)
            #expect(error["message"]?.contains("(process \(getpid()))") == true)
            try await holder.disconnect()
            card.send(SIGTERM)
            _ = try card.result()
            let records = try Records(of: scratch)
            #expect(records.states == ["failed"])
            records.expectTruth()
        }

        @Test func `continues when that program releases it`() async throws {
            let card = try virtual.card("visa-credit", in: scratch)
            let holder = try await hold(.shared)
            try await holder.beginTransaction()
            let paying = try pay()
            try await Task.sleep(for: .milliseconds(500))
            try await holder.disconnect()
            let isDone = card.wait {
                let events = card.output.split(separator: "\n")
                return events.count { $0.contains(#""ins":"AE""#) } == 2 && events.last?.contains("powerOff") == true
            }
            #expect(isDone)
            card.send(SIGTERM)
            _ = try card.result()
            #expect(try paying.result().status == 0)
            try Records(of: scratch).expectTruth()
        }
    }
}
