import Determinism
import Dispatch
import Synchronization
import Testing

@testable import PCSC

extension WithFakeDaemon {
    @Suite("A connection to pcscd") struct ContextTests {
        private let clock = ManualTime()

        private func context(_ daemon: FakeDaemon) async throws -> PCSCContext {
            try await PCSCContext.establish(library: daemon.library, time: clock)
        }

        // MARK: Connecting

        @Test(arguments: [
            (PCSCErrorCode.noService, "pcscd is not running (SCARD_E_NO_SERVICE): sudo systemctl start pcscd"),
            (
                .securityViolation,
                """
                pcscd refuses this user (SCARD_W_SECURITY_VIOLATION): allow org.debian.pcsc-lite.access_pcsc and \
                access_card in a polkit rule
                """
            ),
            (.noMemory, "pcscd serves too many programs (SCARD_E_NO_MEMORY): close some of them"),
        ])
        func `a failed connection is reported with the reason and the fix`(code: PCSCErrorCode, text: String)
            async throws
        {
            let daemon = FakeDaemon { $0.establish = { .failed(code) } }
            await #expect(throws: PCSCError.failed(.establishContext, code)) { _ = try await context(daemon) }
            #expect(PCSCError.failed(.establishContext, code).description == text)
        }

        @Test func `a refusal on an open connection is that of a pcscd that stops`() {
            let refusal = Int(PCSCErrorCode.securityViolation.rawValue)
            #expect(throws: PCSCError.failed(.transmit, .noService)) { try PCSCContext.check(.transmit, refusal) }
            #expect(throws: PCSCError.failed(.connect, .securityViolation)) {
                try PCSCContext.check(.connect, refusal)
            }
        }

        @Test func `a connection ends once, also with concurrent calls`() async throws {
            let daemon = FakeDaemon()
            let released = try await context(daemon)
            await released.release()
            await released.release()
            #expect(released.isClosed)
            #expect(daemon.calls == ["release"])
            await #expect(throws: PCSCError.closed) { _ = try await released.readers() }
            let dropped = Mutex<PCSCContext?>(try await context(daemon))
            dropped.withLock { $0 = nil }
            while daemon.calls.count < 2 { await Task.yield() }
            #expect(daemon.calls == ["release", "release"])
        }

        // MARK: Readers

        @Test(arguments: [
            ("Reader 00 00\0\0", ["Reader 00 00"]), ("A: b (c) 00 00\0A 01 00\0\0", ["A: b (c) 00 00", "A 01 00"]),
            ("Grüße\0\0", ["Grüße"]), ("", []), ("\0", []), ("without an end", ["without an end"]),
            ("\0behind the end\0", []),
        ])
        func `the list of readers`(text: String, names: [String]) async throws {
            let daemon = FakeDaemon { $0.readers = { .init(bytes: Array(text.utf8)) } }
            #expect(try await context(daemon).readers() == names)
        }

        @Test func `an empty list is no error`() async throws {
            let daemon = FakeDaemon { $0.readers = { .failed(.noReadersAvailable) } }
            #expect(try await context(daemon).readers() == [])
        }

        @Test(arguments: [UInt(5_000), 1 << 40, .max])
        func `a list that is longer than its buffer is rejected`(length: UInt) async throws {
            let daemon = FakeDaemon { $0.readers = { .init(bytes: Array("A\0\0".utf8), length: length) } }
            let context = try await context(daemon)
            await #expect(
                throws: PCSCError.malformedAnswer(.listReaders, "\(length) bytes where 2065 were to be had")
            ) { _ = try await context.readers() }
        }

        // MARK: Waiting for a change

        @Test func `a change carries state, count of events and answer to reset`() async throws {
            let daemon = FakeDaemon {
                $0.change = { known, milliseconds in
                    #expect(known.map(\.state) == [0x0007_0010, 0])
                    #expect(milliseconds == 1501)
                    return (
                        .init(),
                        [
                            .init(reader: known[0].reader, state: 0x0008_0122, answer: [0x3B, 0x60, 0, 0]),
                            .init(reader: known[1].reader, state: 0x0002),
                        ]
                    )
                }
            }
            var empty = PCSCReaderState(reader: "Reader")
            (empty.flags, empty.events) = (.empty, 7)
            let changed = try await context(daemon).change(
                from: [empty, .readerList], within: .milliseconds(1500) + .microseconds(1))
            let reader = try #require(changed?.first)
            #expect(reader.flags == [.present, .inUse])
            #expect(reader.events == 8)
            #expect(reader.answerToReset == [0x3B, 0x60, 0, 0])
            #expect(changed?.last?.flags == [])
            #expect(PCSCReaderState.readerList.reader == "\\\\?PnP?\\Notification")
        }

        @Test(arguments: [UInt(34), 1 << 40, .max])
        func `an answer to reset is never longer than 33 bytes`(length: UInt) async throws {
            let daemon = FakeDaemon {
                $0.change = { states, _ in
                    (.init(), states.map { .init(reader: $0.reader, state: 0x20, answer: [1, 2], length: length) })
                }
            }
            let changed = try await context(daemon).change(from: [PCSCReaderState(reader: "Reader")], within: .zero)
            #expect(changed?.first?.answerToReset.count == 33)
        }

        @Test func `a wait without a change times out`() async throws {
            let daemon = FakeDaemon { $0.change = { states, _ in (.failed(.timeout), states) } }
            #expect(try await context(daemon).change(from: [.readerList], within: .seconds(1)) == nil)
        }

        @Test func `canceling the task ends the wait, also before it started`() async throws {
            let daemon = FakeDaemon()
            daemon.script.withLock {
                $0.change = { [daemon] states, _ in
                    daemon.waitForCancellation()
                    return (.failed(.canceled), states)
                }
            }
            let context = try await context(daemon)
            for isEarly in [false, true] {
                let waiting = Task {
                    await self.outcome { try await context.change(from: [.readerList], within: .seconds(9)) }
                }
                if !isEarly { try await Task.sleep(for: .milliseconds(5)) }
                waiting.cancel()
                #expect(await waiting.value == .canceled)
            }
            #expect(!context.isClosed)
            #expect(try await context.readers() == ["Reader 00 00"])
        }

        @Test func `a cancellation of an earlier wait does not end the next one`() async throws {
            let daemon = FakeDaemon()
            let rounds = Mutex(0)
            daemon.script.withLock {
                $0.change = { states, _ in
                    let round = rounds.withLock {
                        $0 += 1
                        return $0
                    }
                    return (round == 1 ? .failed(.canceled) : .init(), states)
                }
            }
            #expect(try await context(daemon).change(from: [.readerList], within: .seconds(9))?.count == 1)
            #expect(rounds.withLock { $0 } == 2)
        }

        @Test func `releasing a context ends a wait`() async throws {
            let daemon = FakeDaemon()
            daemon.script.withLock {
                $0.change = { [daemon] states, _ in
                    daemon.waitForCancellation()
                    return (.failed(.canceled), states)
                }
            }
            let context = try await context(daemon)
            let waiting = Task {
                await self.outcome { try await context.change(from: [.readerList], within: .seconds(9)) }
            }
            try await Task.sleep(for: .milliseconds(5))
            await context.release()
            #expect(await waiting.value == .closed)
            #expect(daemon.calls.last == "release")
        }

        // MARK: A daemon that hangs

        @Test func `a call that does not return is abandoned, with the calls that wait for it`() async throws {
            let gate = DispatchSemaphore(value: 0)
            let daemon = FakeDaemon {
                $0.readers = {
                    gate.wait()
                    return .init(bytes: Array("late\0\0".utf8))
                }
            }
            let context = try await context(daemon)
            let first = Task { await self.outcome { try await context.readers() } }
            let second = Task { await self.outcome { try await context.readers() } }
            #expect(await clock.pass(until: first) == .timedOut(.listReaders))
            #expect(await clock.pass(until: second) == .timedOut(.listReaders))
            #expect(context.isClosed)
            await #expect(throws: PCSCError.closed) { _ = try await context.readers() }
            // It does not wait for the thread that is blocked.
            await context.release()
            #expect(daemon.calls == [])
            gate.signal()
            gate.signal()
            while daemon.calls.isEmpty { await Task.yield() }
            #expect(daemon.calls == ["release"])
        }

        @Test func `a late connection is released`() async throws {
            let gate = DispatchSemaphore(value: 0)
            let daemon = FakeDaemon {
                $0.connect = {
                    gate.wait()
                    return .init(bytes: [1])
                }
            }
            let context = try await context(daemon)
            let connecting = Task { await self.outcome { _ = try await context.connect("Reader") } }
            while daemon.calls.isEmpty { await Task.yield() }
            connecting.cancel()
            #expect(await clock.pass(until: connecting) == .canceled)
            #expect(context.isClosed)
            gate.signal()
            while daemon.calls.count < 2 { await Task.yield() }
            #expect(daemon.calls == ["connect Reader 2 3", "disconnect 0"])
        }

        @Test(arguments: [false, true])
        func `a late transaction is ended`(isCancelled: Bool) async throws {
            let gate = DispatchSemaphore(value: 0)
            let daemon = FakeDaemon {
                $0.begin = {
                    gate.wait()
                    return .init()
                }
            }
            let context = try await context(daemon)
            let card = try await context.connect("Reader")
            let waiting = Task { await self.outcome { try await card.beginTransaction() } }
            while !daemon.calls.contains("begin") { await Task.yield() }
            if isCancelled { waiting.cancel() }
            #expect(await clock.pass(until: waiting) == (isCancelled ? .canceled : .timedOut(.beginTransaction)))
            gate.signal()
            while !daemon.calls.contains("disconnect 0") { await Task.yield() }
        }

        @Test func `a call that returns soon after its task was canceled leaves the context usable`() async throws {
            let gate = DispatchSemaphore(value: 0)
            let daemon = FakeDaemon {
                $0.connect = {
                    gate.wait()
                    return .init(bytes: [1])
                }
            }
            let context = try await context(daemon)
            let connecting = Task { await self.outcome { _ = try await context.connect("Reader") } }
            while daemon.calls.isEmpty { await Task.yield() }
            connecting.cancel()
            gate.signal()
            #expect(await connecting.value == .canceled)
            #expect(daemon.calls == ["connect Reader 2 3", "disconnect 0"])
            #expect(try await context.readers() == ["Reader 00 00"])
        }

        private func outcome<Value>(_ body: () async throws -> Value) async -> PCSCError? {
            do {
                _ = try await body()
                return nil
            } catch { return error as? PCSCError }
        }
    }
}
