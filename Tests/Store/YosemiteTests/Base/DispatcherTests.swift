import Determinism
import Foundation
import Testing

@testable import Yosemite

@Suite struct DispatcherTests {
    private let time = VirtualTimeSource()

    @Test func `an action reaches the processor of its type and no other`() throws {
        let dispatcher = Dispatcher(time: time)
        let (orders, readers) = (ClosureStore(ParcelAction.self), ClosureStore(ReaderAction.self))
        _ = try dispatcher.register(orders)
        _ = try dispatcher.register(readers)
        try dispatcher.dispatch(ParcelAction.forget)
        try dispatcher.dispatch(ReaderAction.reset)
        try dispatcher.dispatch(ParcelAction.note(id: 1, text: "gift"))
        #expect(orders.processed == ["ParcelAction.forget", "ParcelAction.note"])
        #expect(readers.processed == ["ReaderAction.reset"])
    }

    @Test func `types with the same name are not confused`() throws {
        enum Other { enum ParcelAction: Action { case forget; var redactedDescription: [String: String] { [:] } } }
        let dispatcher = Dispatcher(time: time)
        let (orders, others) = (ClosureStore(ParcelAction.self), ClosureStore(Other.ParcelAction.self))
        _ = try dispatcher.register(orders)
        _ = try dispatcher.register(others)
        try dispatcher.dispatch(Other.ParcelAction.forget)
        #expect(orders.processed.isEmpty)
        #expect(others.processed == ["ParcelAction.forget"])
    }

    @Test func `a second processor for a type is rejected, and the first one stays`() throws {
        let dispatcher = Dispatcher(time: time)
        let (first, second) = (ClosureStore(ParcelAction.self), ClosureStore(ParcelAction.self))
        _ = try dispatcher.register(first)
        #expect(throws: DispatcherError.alreadyRegistered(actionType: "ParcelAction")) {
            try dispatcher.register(second)
        }
        try dispatcher.dispatch(ParcelAction.forget)
        #expect(first.processed.count == 1)
        #expect(second.processed.isEmpty)
    }

    @Test func `an action without a processor is an error for its sender`() throws {
        let dispatcher = Dispatcher(time: time)
        #expect(throws: DispatcherError.unhandled(actionName: "ParcelAction.note")) {
            try dispatcher.dispatch(ParcelAction.note(id: 1, text: "secret"))
        }
        let registration = try dispatcher.register(ClosureStore(ParcelAction.self))
        try dispatcher.dispatch(ParcelAction.forget)
        dispatcher.unregister(registration)
        #expect(throws: DispatcherError.unhandled(actionName: "ParcelAction.forget")) {
            try dispatcher.dispatch(ParcelAction.forget)
        }
    }

    @Test func `a processor is retained only while it is registered`() throws {
        let dispatcher = Dispatcher(time: time)
        weak var kept: ClosureStore<ParcelAction>?
        let registration: Dispatcher.Registration
        do {
            let store = ClosureStore(ParcelAction.self)
            kept = store
            registration = try dispatcher.register(store)
        }
        try dispatcher.dispatch(ParcelAction.forget)
        #expect(kept?.processed == ["ParcelAction.forget"])
        dispatcher.unregister(registration)
        #expect(kept == nil)
        // The place is free, and the old registration does not end the new one.
        let next = ClosureStore(ParcelAction.self)
        _ = try dispatcher.register(next)
        dispatcher.unregister(registration)
        try dispatcher.dispatch(ParcelAction.forget)
        #expect(next.processed.count == 1)
    }

    @Test func `actions dispatched inside an action run after it, in order`() throws {
        let dispatcher = Dispatcher(time: time)
        let log = Log<String>()
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { action in
                log.add("begin \(action.name)")
                if case .forget = action {
                    for id in Int64(1)...2 {
                        do { try dispatcher.dispatch(ParcelAction.note(id: id, text: "")) } catch {
                            log.add("\(error)")
                        }
                    }
                    do { try dispatcher.dispatch(ReaderAction.reset) } catch { log.add("\(error)") }
                }
                log.add("end \(action.name)")
            })
        _ = try dispatcher.register(ClosureStore(ReaderAction.self) { log.add("begin \($0.name)") })
        try dispatcher.dispatch(ParcelAction.forget)
        #expect(
            log.entries == [
                "begin ParcelAction.forget", "end ParcelAction.forget", "begin ParcelAction.note",
                "end ParcelAction.note",
                "begin ParcelAction.note", "end ParcelAction.note", "begin ReaderAction.reset",
            ])
    }

    @Test func `an unhandled action inside an action is an error for its sender`() throws {
        let dispatcher = Dispatcher(time: time)
        let log = Log<DispatcherError>()
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { _ in
                do throws(DispatcherError) { try dispatcher.dispatch(ReaderAction.reset) } catch { log.add(error) }
            })
        try dispatcher.dispatch(ParcelAction.forget)
        #expect(log.entries == [.unhandled(actionName: "ReaderAction.reset")])
    }

    @Test func `an accepted action is processed even if its processor is unregistered`() throws {
        let dispatcher = Dispatcher(time: time)
        let readers = ClosureStore(ReaderAction.self)
        let registration = try dispatcher.register(readers)
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { _ in
                try? dispatcher.dispatch(ReaderAction.reset)
                dispatcher.unregister(registration)
            })
        try dispatcher.dispatch(ParcelAction.forget)
        #expect(readers.processed == ["ReaderAction.reset"])
    }

    @Test func `actions from many tasks are processed once each, one at a time, in the recorded order`() async throws {
        let dispatcher = Dispatcher(time: time)
        let (processed, recorded) = (Log<Int64>(), Log<ActionRecord>())
        _ = dispatcher.addObserver { recorded.add($0) }
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { action in
                guard case .note(let id, _) = action else { return }
                processed.add(id)
                // Every tenth action sends one more from inside.
                if id % 10 == 0, id < 1000 { try? dispatcher.dispatch(ParcelAction.note(id: id + 1000, text: "")) }
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in Int64(0)..<8 {
                group.addTask {
                    for number in Int64(0)..<100 {
                        try dispatcher.dispatch(ParcelAction.note(id: task * 100 + number, text: ""))
                    }
                }
            }
            try await group.waitForAll()
        }
        let ids = processed.entries
        #expect(ids.count == 880)
        #expect(Set(ids) == Set(0..<800).union(stride(from: Int64(0), to: 800, by: 10).map { $0 + 1000 }))
        #expect(recorded.entries.map(\.sequence) == Array(1...880))
        #expect(recorded.entries.map { $0.arguments["id"] } == ids.map(String.init))
        for task in Int64(0)..<8 {
            let own = ids.filter { $0 < 1000 && $0 / 100 == task }
            #expect(own == own.sorted())
        }
    }

    @Test func `an observer sees an action's description until it is removed`() throws {
        let dispatcher = Dispatcher(time: time)
        let log = Log<ActionRecord>()
        let observation = dispatcher.addObserver { log.add($0) }
        _ = try dispatcher.register(ClosureStore(ParcelAction.self))
        try dispatcher.dispatch(ParcelAction.note(id: 5, text: "the customer's secret"))
        time.advance(by: .seconds(1))
        try dispatcher.dispatch(ParcelAction.forget)
        #expect(throws: DispatcherError.self) { try dispatcher.dispatch(ReaderAction.reset) }
        dispatcher.removeObserver(observation)
        try dispatcher.dispatch(ParcelAction.forget)

        let start = VirtualTimeSource.standardStart
        #expect(
            log.entries == [
                ActionRecord(sequence: 1, name: "ParcelAction.note", arguments: ["id": "5"], at: start),
                ActionRecord(
                    sequence: 2, name: "ParcelAction.forget", arguments: [:], at: start.advanced(by: .seconds(1))),
            ])
        let json = try JSONEncoder().encode(log.entries)
        #expect(!String(decoding: json, as: UTF8.self).contains("secret"))
        #expect(try JSONDecoder().decode([ActionRecord].self, from: json) == log.entries)
    }

    @Test func `without observers, actions are counted and not described`() throws {
        struct Quiet: Action {
            let described: Log<String>
            var name: String {
                described.add("name")
                return "Quiet"
            }
            var redactedDescription: [String: String] {
                described.add("arguments")
                return [:]
            }
        }
        final class QuietStore: Store {
            func onAction(_ action: Quiet) {}
        }
        let dispatcher = Dispatcher(time: time)
        let (described, recorded) = (Log<String>(), Log<ActionRecord>())
        _ = try dispatcher.register(QuietStore())
        for _ in 0..<3 { try dispatcher.dispatch(Quiet(described: described)) }
        #expect(described.entries.isEmpty)
        let observation = dispatcher.addObserver { recorded.add($0) }
        try dispatcher.dispatch(Quiet(described: described))
        #expect(described.entries == ["name", "arguments"])
        #expect(recorded.entries.map(\.sequence) == [4])
        dispatcher.removeObserver(observation)
        try dispatcher.dispatch(Quiet(described: described))
        #expect(described.entries.count == 2)
    }

    @Test func `an observer sees the actions dispatched while it is registered`() throws {
        let dispatcher = Dispatcher(time: time)
        let recorded = Log<ActionRecord>()
        _ = try dispatcher.register(
            ClosureStore(ParcelAction.self) { action in
                guard case .forget = action else { return }
                try? dispatcher.dispatch(ParcelAction.note(id: 1, text: ""))
                let observation = dispatcher.addObserver { recorded.add($0) }
                try? dispatcher.dispatch(ParcelAction.note(id: 2, text: ""))
                dispatcher.removeObserver(observation)
                try? dispatcher.dispatch(ParcelAction.note(id: 3, text: ""))
            })
        try dispatcher.dispatch(ParcelAction.forget)
        #expect(recorded.entries.map(\.sequence) == [3])
        #expect(recorded.entries.map(\.arguments) == [["id": "2"]])
    }

    @Test func `an action's name never contains a value`() {
        struct Login: Action {
            let password = "hunter2"
            var redactedDescription: [String: String] { [:] }
        }
        enum Talkative: Action, CustomStringConvertible {
            case quiet
            var redactedDescription: [String: String] { [:] }
            var description: String { "hunter2" }
        }
        #expect(Login().name == "Login")
        #expect(Talkative.quiet.name == "Talkative")
        #expect(ParcelAction.note(id: 1, text: "hunter2").name == "ParcelAction.note")
    }

    @Test func `a name that is a literal is the one by reflection`() throws {
        let payments: [CardPresentPaymentsAction] = [
            .reset(onCompletion: { _ in }), .cancelPayment(onCompletion: { _ in }),
            .recoverPayments(onCompletion: { _ in }), .syncOrderPayments(paymentID: nil, onCompletion: { _ in }),
            .loadPayments(limit: nil, onCompletion: { _ in }),
        ]
        for action in payments { #expect(action.name == action.reflectedName) }
        let receipts = ReceiptAction.loadPrintJobs(paymentID: nil, limit: nil, onCompletion: { _ in })
        #expect(receipts.name == receipts.reflectedName)
        // The compiler checks that all cases are there.
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        let source = root.appending(path: "Sources/Store/Yosemite/Base/ActionNames.swift")
        let lines = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
        let cases = lines.compactMap { $0.wholeMatch(of: /\s+case \.(\w+): "(\w+)"/) }
        #expect(cases.count == 53)
        for found in cases { #expect(found.1 == found.2) }
    }
}
