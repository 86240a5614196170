import Sessions
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("A session with requests at the same time", .timeLimit(.minutes(10)))
struct SimultaneousRequestTests {
    private static let plan = #"{"cards": ["visa-credit"], "seed": 11}"#
    private static let payment = #"{"amount": "3.00"}"#

    private func elapsed(_ asked: Asked, _ session: String) async -> Int? {
        await asked.ask("GET", session + "/clock").json["elapsedMilliseconds"]?.int
    }

    private func repeats(_ asked: Asked, _ session: String) async -> Bool {
        let reply = await asked.ask("POST", session + "/repeat", "{}")
        let hash = await asked.ask("GET", session).json["eventHash"]?.text
        return reply.status == 201 && hash != nil && reply.json["eventHash"]?.text == hash
    }

    @Test func `passes no time for a payment in the turn of another request`() async throws {
        let asked = Asked()
        let session = try await asked.session(Self.plan)
        let served = try asked.service.session("s1")
        let before = await elapsed(asked, session)
        let operation = Operation(.payment)
        // The payment comes in the middle of this turn, and waits for its own.
        try await served.look("other") { [served] _ in try? served.operations.register(operation, nil) }
        #expect(served.operation === operation)
        #expect(await elapsed(asked, session) == before)
        operation.end(nil)
    }

    @Test func `passes no time in a request that only reads, also while an operation runs`() async throws {
        let asked = Asked()
        let session = try await asked.session(Self.plan)
        await asked.ask("POST", session + "/payments", #"{"amount": "3.00", "cardholder": "by_hand"}"#)
        await asked.ask("POST", session + "/readers/reader/insert")
        let before = await elapsed(asked, session)
        for path in ["", "/payments", "/readers", "/issuer/ledger", "/reconciliation"] {
            #expect(await asked.ask("GET", session + path).status == 200)
        }
        #expect(await elapsed(asked, session) == before)
        #expect(await asked.ask("GET", session + "/requests").json.elements.count == 2)
    }

    @Test func `cancels a payment once`() async throws {
        let asked = Asked()
        let session = try await asked.session(Self.plan)
        for number in 1...9 {
            await asked.ask("POST", session + "/payments", #"{"amount": "3.00", "cardholder": "by_hand"}"#)
            let codes = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<10 {
                    group.addTask { await asked.ask("POST", session + "/payments/P00000\(number)/cancel").code }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == "not_running" } == 9)
        }
        #expect(await repeats(asked, session))
    }

    @Test func `is repeated with payments, crashes, and waits among them`() async throws {
        let asked = Asked()
        let session = try await asked.session(Self.plan)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask { await asked.ask("POST", session + "/payments", Self.payment) }
                group.addTask {
                    await asked.ask(
                        "POST", session + "/payments", #"{"amount": "3.00", "cardholder": "by_hand"}"#)
                    await asked.ask("POST", session + "/payments/P00000\(number % 9 + 1)/cancel")
                }
                group.addTask { await asked.ask("POST", session + "/clock/advance", #"{"milliseconds": 70}"#) }
                group.addTask { await asked.ask("POST", session + "/readers/reader/insert") }
                group.addTask { await asked.ask("POST", session + "/readers/reader/remove") }
                for path in ["", "/payments", "/issuer/ledger"] {
                    group.addTask { await asked.ask("GET", session + path) }
                }
                if number % 6 == 5 {
                    group.addTask { await asked.ask("POST", session + "/process/crash") }
                    group.addTask {
                        await asked.ask("POST", session + "/process/restart")
                        await asked.ask("POST", session + "/readers/reader/connect")
                    }
                }
            }
        }
        #expect(await repeats(asked, session))
    }

    @Test func `is repeated after pauses among them`() async throws {
        let asked = Asked()
        let session = try await asked.session(Self.plan)
        await asked.ask("PUT", session + "/breakpoints", #"{"events": ["kernel online", "journal authorizing"]}"#)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { await asked.ask("POST", session + "/payments", Self.payment) }
                group.addTask { await asked.ask("POST", session + "/continue", #"{"events": 3}"#) }
                group.addTask { await asked.ask("POST", session + "/continue", "{}") }
                group.addTask { await asked.ask("POST", session + "/clock/advance", #"{"seconds": 2}"#) }
                group.addTask { await asked.ask("GET", session) }
            }
        }
        await asked.ask("PUT", session + "/breakpoints", #"{"events": []}"#)
        await asked.ask("POST", session + "/continue", "{}")
        #expect(await asked.ask("GET", session).json["pausedAfter"] == nil)
        #expect(await repeats(asked, session))
    }
}
