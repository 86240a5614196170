import Payments
import Printing
import SimulatedTime
import Simulator
import Storage
import Synchronization
import Testing

@testable import Yosemite

/// Prints whose program was killed in the middle, and what the next run makes of what it left.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct PrintRecoveryTests {
    /// A database as a kill leaves it at one moment.
    private struct Kill: Sendable {
        var database: TestDatabase
        /// Whether the printer's side had been handed anything by then.
        var mayBePrinted: Bool
    }

    /// Prints a copy, and takes what a kill would leave before and after everything that is asked of the printer.
    private func kills(_ reports: [Result<Printing.PrintJob, PrinterError>]) async throws -> [Kill] {
        let database = try TestDatabase()
        let taken = Mutex<[Kill]>([])
        let isHandedOver = Mutex(false)
        let printer = ScriptedPrinter(
            onQuestion: { question, isAnswered in
                // Once the job is on its way, it is unknown whether it arrived.
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

    private func payment(_ till: TestTill) async throws -> Payment {
        let payments: [Payment] = try await till.perform { .loadPayments(limit: nil, onCompletion: $0) }
        return try #require(payments.first)
    }

    @Test(
        arguments: [
            (.success(.report(.completed)), .completed), (.success(.report(.completed, isConfirmed: false)), .sent),
            (.success(.report(.processing)), .sent), (.success(.report(.aborted)), .failed),
            (.failure(.jobNotFound(.report(.pending))), .unknown),
            (.failure(.serverUnavailable(server: "s", message: "m")), .unknown),
        ] as [(Result<Printing.PrintJob, PrinterError>, ReceiptPrint.State)])
    func `after a crash at any time of a print, the next run reports its state, and a reprint is marked`(
        fate: Result<Printing.PrintJob, PrinterError>, state: ReceiptPrint.State
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
                // No number, and no server that knows the title.
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

    /// A print whose program was killed while the print server took it.
    private func queued() async throws -> TestDatabase {
        let database = try TestDatabase()
        let taken = Mutex<TestDatabase?>(nil)
        let till = try TestTill {
            $0.database = database
            $0.printer = ScriptedPrinter(onQuestion: { question, isAnswered in
                guard question == .submit, !isAnswered else { return }
                do {
                    let kill = try database.afterKill()
                    taken.withLock { $0 = kill }
                } catch {
                    Issue.record(error)
                }
            })
        }
        _ = try await till.print(try await till.pay())
        return try #require(taken.withLock { $0 })
    }

    @Test(
        arguments: [
            (.pending, .accepted, true), (.processing, .sent, true), (.completed, .completed, true),
            (.aborted, .failed, false),
        ] as [(Printing.PrintJob.State, ReceiptPrint.State, Bool)])
    func `a job whose number was not received is found by its title`(
        fate: Printing.PrintJob.State, state: ReceiptPrint.State, mayBePrinted: Bool
    ) async throws {
        let printer = ScriptedPrinter(
            found: .success(42), [.success(.report(fate, hasStarted: fate != .aborted))])
        let database = try await queued()
        let till = try TestTill {
            $0.database = database
            $0.printer = printer
        }
        let found = try #require(try await till.resolvePrints().first)
        #expect((found.state, found.jobID, found.mayBePrinted) == (state, 42, mayBePrinted))
        #expect(printer.questions == [.find, .status])
        // Of the job with the number, too, it is asked by the title.
        let title = "Receipt P000001 J000001-" + (try till.journal.databaseID().prefix(8))
        #expect(printer.titles == [title, title])
        #expect(try await till.print(try await payment(till), timeout: nil).isDuplicate == mayBePrinted)
    }

    @Test func `a job without a number is searched for until its print server is back, for up to a day`() async throws {
        let away = PrinterError.serverUnavailable(server: "s", message: "m")
        let printer = ScriptedPrinter(found: .failure(away))
        let database = try await queued()
        let till = try TestTill {
            $0.database = database
            $0.printer = printer
        }
        #expect(try await till.resolvePrints().map(\.isOpen) == [true])
        #expect(try await till.resolvePrints().isEmpty)
        try await till.clock.sleep(for: .seconds(90_000))
        #expect(try await till.resolvePrints().map(\.isOpen) == [false])
        #expect(printer.questions == [.find, .find, .find])
    }

    @Test func `a print server that does not respond blocks nothing, and is queried again`() async throws {
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

    @Test func `a print server that is unreachable for more than a day is no longer queried`() async throws {
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

    @Test func `prints of running processes are not touched, and without open prints there are no queries`()
        async throws
    {
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
