import Determinism
import Foundation
import PostgreSQL
import Simulator
import TestPostgreSQL
import Testing

@testable import SimulationServer

/// A database of sessions with any number of instances, whose leases end only when a test says so.
struct StoredBench: Sendable {
    static let program = "1.0, build a"

    let address: String
    /// A link that is not under test.
    let observer: PostgreSQLLink

    init() async throws {
        let server = try await TemporaryPostgreSQL.shared()
        let schema = "v" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await self.init(server.address(schema: schema))
        try await run("CREATE SCHEMA \(schema)")
    }

    init(_ address: String) async throws {
        self.address = address
        observer = PostgreSQLLink(
            to: try PostgreSQLAddress(address), time: SystemTimeSource(),
            patience: PostgreSQLPatience(statement: .seconds(600), outage: .seconds(600)))
    }

    func store(program: String = program, wait: Duration = .seconds(600)) async throws -> SessionStore {
        try await SessionStore.open(
            PostgreSQLAddress(address), program: program, time: SystemTimeSource(),
            timing: SessionStoreTiming(
                lease: .seconds(3600), wait: wait, statement: .seconds(600), outage: .seconds(600),
                follow: .milliseconds(2)))
    }

    /// An instance of the service, which knows no session yet.
    func instance(
        _ configuration: SimulationServiceConfiguration = .init(), token: String? = nil, program: String = program,
        wait: Duration = .seconds(600)
    ) async throws -> Asked {
        Asked(configuration, token: token, store: try await store(program: program, wait: wait))
    }

    func run(_ text: String) async throws { try await observer.run([Statement(text)]) }

    /// The value of a statement with one row.
    func number(_ text: String) async throws -> Int64 {
        try await observer.run([Statement("SELECT (\(text))::bigint AS number")])[0].only().value("number")
    }

    /// The text of a statement with one row.
    func text(_ text: String) async throws -> String {
        try await observer.run([Statement("SELECT (\(text))::text AS text")])[0].only().value("text")
    }

    /// Waits until a statement says yes.
    func wait(until condition: String) async throws {
        while try await number("SELECT (\(condition))::int") == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
}

/// A request of a script.
struct Line: Sendable {
    var method: String
    /// The path behind the session's own; complete when it begins with `/v1`.
    var place: String
    var body = ""
    var headers: [String: String] = [:]

    init(_ method: String, _ place: String, _ body: String = "", headers: [String: String] = [:]) {
        (self.method, self.place, self.body, self.headers) = (method, place, body, headers)
    }

    func target(_ session: String) -> String { place.hasPrefix("/v1") ? place : session + place }

    /// A day at a counter, with persons, faults, and pauses.
    static let day = [
        Line("GET", ""),
        Line("POST", "/payments", #"{"amount": "12.50"}"#),
        Line("GET", "/payments"),
        Line("POST", "/payments", #"{"amount": "4.00", "card": "pin-required", "cardholder": "by_hand"}"#),
        Line("POST", "/payments", #"{"amount": "1.00"}"#),
        Line("POST", "/readers/reader/insert", "{}"),
        Line("GET", ""),
        Line("POST", "/readers/reader/press", #"{"keys": ["1", "2"]}"#),
        Line("POST", "/readers/reader/press", #"{"keys": ["3", "4", "confirm"]}"#),
        Line("POST", "/readers/reader/remove"),
        Line("GET", "/payments/P000002/receipt"),
        Line("POST", "/payments/P000001/refund", #"{"amount": "2.50"}"#),
        Line("POST", "/payments", #"{"amount": "7.00"}"#, headers: ["idempotency-key": "seven"]),
        Line("POST", "/payments", #"{"amount": "7.00"}"#, headers: ["idempotency-key": "seven"]),
        Line("POST", "/payments", #"{"amount": "7.01"}"#, headers: ["idempotency-key": "seven"]),
        Line("POST", "/issuer/faults", #"{"fault": "answer_lost", "times": 1}"#),
        Line("POST", "/payments", #"{"amount": "3.00"}"#),
        Line("GET", "/reconciliation"),
        Line("PUT", "/printer", #"{"condition": "out_of_paper"}"#),
        Line("POST", "/payments/P000001/print"),
        Line("PUT", "/printer", #"{"condition": "ready"}"#),
        Line("PUT", "/breakpoints", #"{"events": ["journal authorizing"]}"#),
        Line("POST", "/payments", #"{"amount": "5.00", "card": "mastercard-debit"}"#),
        Line("GET", "/payments"),
        Line("POST", "/payments", #"{"amount": "6.00"}"#),
        Line("POST", "/continue", #"{"events": 3}"#),
        Line("GET", ""),
        Line("POST", "/continue", "{}"),
        Line("PUT", "/breakpoints", #"{"events": []}"#),
        Line("POST", "/process/crash"),
        Line("POST", "/payments", #"{"amount": "8.00"}"#),
        Line("POST", "/process/restart"),
        Line("POST", "/clock/advance", #"{"seconds": 3600}"#),
        Line("POST", "/readers/reader/faults", #"{"fault": "card_removed", "at": 3}"#),
        Line("POST", "/payments", #"{"amount": "9.00", "card": "online-pin"}"#),
        Line("POST", "/payments/P000001/refund", #"{"amount": "200.00"}"#),
        Line("POST", "/payments", #"{"amount": "nothing"}"#),
        Line("GET", "/payments"), Line("GET", "/issuer/ledger"), Line("GET", "/requests"), Line("GET", "/events"),
        Line("GET", "/trace"), Line("GET", "/reconciliation"), Line("GET", ""), Line("GET", "/v1/sessions"),
    ]
}
