import Determinism
import Glibc
import Testing

@testable import Connections

struct DescriptorWaitTests {
    /// A pipe of a library that reads and writes it by itself.
    private final class Pipe: Sendable {
        let ends: [Int32]

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            self.ends = ends
        }

        deinit { for end in ends { close(end) } }

        func write(_ text: String) { _ = Glibc.write(ends[1], text, text.utf8.count) }
    }

    @Test func `bytes that were left end the next wait, too`() async throws {
        let pipe = try Pipe()
        let wait = DescriptorWait(pipe.ends[0])
        let task = Task { try await wait(for: .reading, deadline: .soon, .read, on: time) }
        pipe.write("two")
        try await task.value
        for _ in 0..<3 {
            try await wait(for: .reading, deadline: .soon, .read, on: time)
            try await wait(for: .either, deadline: .soon, .read, on: time)
            var byte: UInt8 = 0
            #expect(read(pipe.ends[0], &byte, 1) == 1)
        }
    }

    @Test func `room to write ends a wait for it`() async throws {
        let pipe = try Pipe()
        try await DescriptorWait(pipe.ends[1])(for: .writing, deadline: .soon, .write, on: time)
        try await DescriptorWait(pipe.ends[1])(for: .either, deadline: .soon, .write, on: time)
    }

    @Test func `a wait ends at its deadline, and when its task is canceled`() async throws {
        let pipe = try Pipe()
        let wait = DescriptorWait(pipe.ends[0])
        let virtual = VirtualTimeSource()
        let deadline = Deadline(after: .seconds(5), on: virtual)
        let late = await failure { try await wait(for: .reading, deadline: deadline, .read, on: virtual) }
        #expect(late == .timedOut(.read))
        let task = Task { try await wait(for: .reading, deadline: .never, .read, on: time) }
        task.cancel()
        #expect(await failure { try await task.value } == .canceled)
    }

    @Test func `a descriptor that is not open is an error`() async {
        let error = await failure { try await DescriptorWait(-1)(for: .reading, deadline: .soon, .read, on: time) }
        guard case .system = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
