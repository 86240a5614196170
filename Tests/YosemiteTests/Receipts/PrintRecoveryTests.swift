import Hardware
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// Prints whose program was killed in the middle, and what the next run makes of what it left.
@Suite(.timeLimit(.minutes(2))) struct PrintRecoveryTests {
    /// A database as a kill leaves it at one moment.
    private struct Kill: Sendable {
        var database: TestDatabase
        /// Whether the printer's side had been handed anything by then.
        var mayBePrinted: Bool
    }

    /// Prints a copy, and takes what a kill would leave before and after everything that is asked of the printer.
    private func kills(_ reports: [Result<Hardware.PrintJob, PrinterError>]) async throws -> [Kill] {
        let database = try TestDatabase()
        let taken = Mutex<[Kill]>([])
        let isHandedOver = Mutex(false)
        let printer = ScriptedPrinter(
            onQuestion: { question, isAnswered in
                // From the moment at which the job is on its way nobody knows whether it arrived.
                if question == .submit { isHandedOver.withLock { $0 = true } }
                do {
                    let kill = Kill(
                        database: try database.afterKill(), mayBePrinted: isHandedOver.withLock { $0 })
                    taken.withLock { $0.append(kill) }
                } catch {
                    Issue.record(error)
                }
            }, reports)
        let till = try TestTill {
            $0.database = database
            $0.printer = printer
        }
        _ = try await till.print(try await till.pay())
        taken.withLock { kills in
            do { kills.append(Kill(database: try database.afterKill(), mayBePrinted: true)) } catch {
                Issue.record(error)
            }
        }
        return taken.withLock { $0 }
    }

    private func payment(_ till: TestTill) async throws -> Yosemite.Payment {
        let payments: [Yosemite.Payment] = try await till.perform { .loadPayments(limit: nil, onCompletion: $0) }
        return try #require(payments.first)
    }

    @Test(
        arguments: [
            (.success(.report(.completed)), .completed), (.success(.report(.completed, isConfirmed: false)), .sent),
            (.success(.report(.processing)), .sent), (.success(.report(.aborted)), .failed),
            (.failure(.jobNotFound(.report(.pending))), .unknown),
            (.failure(.serverUnavailable(server: "s", message: "m")), .unknown),
        ] as [(Result<Hardware.PrintJob, PrinterError>, ReceiptPrint.State)])
    func `whenever a print is killed, the next run says what can be known, and prints nothing twice unmarked`(
        fate: Result<Hardware.PrintJob, PrinterError>, state: ReceiptPrint.State
    ) async throws {
        let kills = try await kills([
            .success(.report(.pending)), .success(.report(.processing)), .success(.report(.completed)),
        ])
        #expect(kills.count == 11)
        var seen: Set<ReceiptPrint.State> = []
        for (number, kill) in kills.enumerated() {
            let note: Comment = "kill \(number)"
            let printer = ScriptedPrinter([fate])
            let till = try TestTill {
                $0.database = kill.database
                $0.printer = printer
            }
            let payment = try await payment(till)
            let before = try await till.prints(payment).first?.print
            let changed = try await till.resolvePrints()
            let after = try await till.prints(payment).first?.print
            #expect(changed == (before == after ? [] : [after].compactMap(\.self)), note)
            if let before, let after {
                seen.insert(before.state)
                switch before.state {
                // No number: nobody can be asked.
                case .queued: #expect((after.state, after.isOpen) == (.unknown, false), note)
                case .completed: #expect(after == before, note)
                default: #expect(after.state == state, note)
                }
            } else {
                #expect(!kill.mayBePrinted, note)
            }
            #expect(try await till.newest(payment).wasPrinted(.customer) == kill.mayBePrinted, note)
            let again = try? await till.print(payment, timeout: nil)
            #expect(again?.isDuplicate == kill.mayBePrinted, note)
            #expect(printer.texts.map { $0.contains("DUPLICATE") } == [kill.mayBePrinted], note)
        }
        #expect(seen == [.queued, .accepted, .sent, .completed])
    }

    @Test func `a print server that never answers holds nobody up, and is asked again`() async throws {
        let database = try TestDatabase()
        let first = try TestTill {
            $0.database = database
            $0.printer = ScriptedPrinter([.success(.report(.pending))])
        }
        _ = try await first.print(try await first.pay(), timeout: nil)
        let kill = try database.afterKill()
        let silent = try TestTill {
            $0.database = kill
            $0.printer = ScriptedPrinter(silence: .status)
        }
        let lost = try await silent.resolvePrints()
        #expect(lost.map(\.state) == [.unknown])
        #expect(lost.map(\.isOpen) == [true])
        #expect(lost.first?.message == "the print server did not answer in time")
        // Nothing new is nothing to write down.
        #expect(try await silent.resolvePrints().isEmpty)
        let back = try TestTill {
            $0.database = try kill.afterKill()
            $0.printer = ScriptedPrinter()
        }
        #expect(try await back.resolvePrints().map(\.state) == [.completed])
        #expect(
            try await back.prints(try await payment(back)).first?.steps.map(\.state)
                == [.queued, .accepted, .unknown, .completed])
    }

    @Test func `a print server that is away for more than a day is not asked any more`() async throws {
        let database = try TestDatabase()
        let printer = ScriptedPrinter([.failure(.serverUnavailable(server: "s", message: "m"))])
        let till = try TestTill {
            $0.database = database
            $0.printer = printer
        }
        let payment = try await till.pay()
        _ = try await till.print(payment, timeout: nil)
        #expect(try await till.resolvePrints().map(\.isOpen) == [true])
        try await till.clock.sleep(for: .seconds(90_000))
        #expect(try await till.resolvePrints().map(\.isOpen) == [false])
        let asked = printer.questions.count
        #expect(try await till.resolvePrints().isEmpty)
        #expect(printer.questions.count == asked)
    }

    @Test func `prints of living processes are left alone, and without open prints nobody is asked`() async throws {
        let database = try TestDatabase()
        let till = try TestTill {
            $0.database = database
            $0.printer = ScriptedPrinter([.success(.report(.pending))])
        }
        _ = try await till.print(try await till.pay(), timeout: nil)
        let printer = ScriptedPrinter()
        let other = try TestTill {
            $0.database = database
            $0.printer = printer
        }
        #expect(try await other.resolvePrints().isEmpty)
        #expect(printer.questions.isEmpty)
        let unused = ScriptedPrinter()
        #expect(try await TestTill { $0.printer = unused }.resolvePrints().isEmpty)
        #expect(unused.questions.isEmpty)
        withExtendedLifetime(till) {}
    }
}
