import Determinism
import Testing

@testable import TerminalServer

/// How calls of tills end.
struct TillDeadlineTests {
    private let wall = SystemTimeSource()

    private func end(
        within limit: Duration, _ body: @escaping @Sendable () async -> Int?
    ) async -> TillDeadline.End<Int> {
        await TillDeadline.answer(within: limit, wall, body)
    }

    @Test func `an answer in time is the answer`() async {
        guard case .answered(7) = await end(within: .seconds(3600), { 7 }) else {
            Issue.record("not answered")
            return
        }
    }

    @Test func `a call without an answer is cut, and not said to be late`() async {
        guard case .cut = await end(within: .seconds(3600), { nil }) else {
            Issue.record("not cut")
            return
        }
    }

    @Test func `a call that does not end is late, and its wait is canceled`() async {
        let wall = wall
        let end = await end(within: .zero) {
            // It ends when it is canceled.
            (try? await wall.sleep(for: .seconds(3600))).map { 7 }
        }
        guard case .late = end else {
            Issue.record("not late")
            return
        }
    }

    @Test func `a caller that is canceled is cut`() async {
        let wall = wall
        let task = Task {
            await end(within: .seconds(3600)) { (try? await wall.sleep(for: .seconds(3600))).map { 7 } }
        }
        task.cancel()
        guard case .cut = await task.value else {
            Issue.record("not cut")
            return
        }
    }

    @Test func `the answer of a call that was given up is not the next one's`() {
        var book = AnswerBook<Int>()
        let first = book.next()
        #expect(book.takeReady() == nil)
        book.give(7, to: first)
        let second = book.next()
        #expect(book.takeReady() == nil)
        book.give(7, to: first)
        book.give(8, to: second)
        #expect(book.takeReady() == 8 && book.takeReady() == nil)
    }
}
