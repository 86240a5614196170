import ScenarioFormat
import Sessions
import Simulator
import Testing

@testable import Explorer

@Suite("The files of explored sessions")
struct SessionFilesTests {
    /// Two tills, deaths, recoveries, and a paper.
    private static func draft(_ database: String) -> SessionDraft {
        SessionDraft(
            setup: [
                DraftEntry("secondTill", ["database": .text(database), "card": "mastercard-credit"]),
                DraftEntry("site", ["unpaid": ["25.00"]]),
            ],
            steps: [
                "connect",
                [
                    "pay": ["order": "1"],
                    "during": [
                        ["after": "1ms", "set": ["neighborPays": ["amount": "8.00"]]],
                        ["on": "host authorize answered", "do": "crash"],
                    ],
                ],
                ["wait": "1min"], "restart", "connect", ["pay": ["amount": "12.00"]],
            ])
    }

    private func record(
        _ draft: SessionDraft, _ play: DraftPlay, in place: SessionPlace, number: Int = 1
    ) -> SessionRecord {
        play.record(draft, seed: 7, number: number, in: place)
    }

    @Test(arguments: ["shared", "own"])
    func `a session has the same records in files of its own and in files that others used`(database: String) {
        let play = DraftPlay(folder: scratchFolder())
        let own = record(Self.draft(database), play, in: .ownFiles)
        #expect(own.refusal == nil && own.leftNothing)
        #expect(own.payments.count >= 2)
        #expect(InvariantCheck(own).violations == [])
        // The other session leaves other rows, and the second database without a session.
        let others = [database, "shared", "own", database]
        for (number, other) in others.enumerated() {
            _ = record(SessionDraft(setup: Self.draft(other).setup), play, in: .usedFiles, number: number)
            let used = record(Self.draft(database), play, in: .usedFiles, number: 10 + number)
            #expect(used.events == own.events)
            #expect(used.payments == own.payments)
            #expect(used.book == own.book)
            #expect(used.receipts == own.receipts)
            #expect(used.leftNothing)
        }
    }

    @Test func `files are used again, and only those of a session that left nothing`() throws {
        let (files, folder) = (UsedFiles(), scratchFolder())
        let first = try files.take(in: folder)
        let second = try files.take(in: folder)
        #expect(first.folder != second.folder)
        files.give(back: first)
        #expect(try files.take(in: folder) === first)
        var record = SessionRecord()
        #expect(record.leftNothing)
        record.leaks = [SessionRecord.Leak(secret: "PIN", place: "file 1.sqlite-wal")]
        #expect(!record.leftNothing)
        #expect(!SessionRecord(refusal: "no card").leftNothing)
        #expect(!SessionRecord(stuckStep: "pay").leftNothing)
        #expect(!SessionRecord(openFiles: ["till.sqlite.issuer"]).leftNothing)
    }

    @Test func `one file session of eight opens its files as in production`() {
        let places = (0..<64).map { number in
            PlannedSession(number: number, seed: 1, draft: SessionDraft(), isVariation: false).place
        }
        #expect(places.count { $0 == .memory } == 56)
        #expect(places.count { $0 == .usedFiles } == 7)
        #expect(places.count { $0 == .ownFiles } == 1)
    }

    /// Session 887 of seed 1: the second till ends while a clerk there connects the reader.
    @Test func `a search for readers that begins while its till ends leaves nothing open`() throws {
        let text = """
            template_version: 1
            description: the second till ends while it connects the reader
            cardholder: { insertAfter: 1s }
            secondTill: { card: mastercard-credit }
            steps:
              - do: connect
                during:
                  - { on: "kernel terminal_action_analysis arqc", after: 1ms, set: { disk: full } }
                  - { on: "saving captured", set: { neighborPays: { amount: 10.00 } } }
              - pay: { amount: 10.00 }
                during:
                  - { on: card_inserted, set: { neighborPays: { amount: 10.00 } } }
              - restart
            """
        let scenario = try #require(try ScenarioFile.scenarios(text: text, path: "test.yaml").first)
        let record = DraftPlay(folder: scratchFolder()).record(
            DraftPlay.ended(scenario), seed: 152_005_495, name: "1", in: .ownFiles)
        #expect(record.refusal == nil)
        #expect(record.openFiles == [])
        #expect(record.leftNothing)
    }

    @Test func `only a database stays open between sessions`() throws {
        let folder = scratchFolder()
        let used = try SessionFiles(reusedIn: folder + "/used")
        for name in ["1.sqlite", "2.sqlite-wal", "1.sqlite-shm"] { #expect(used.staysOpen(name)) }
        for name in ["1.sqlite.issuer", "1.sqlite.lease", "1.sqlite.settings"] { #expect(!used.staysOpen(name)) }
        let own = try SessionFiles(ownIn: folder + "/own")
        #expect(!own.staysOpen("till.sqlite"))
    }
}
