/// The calls of tills that wait for their answers, by number. Its owner is an actor.
struct AnswerBook<Answer: Sendable> {
    private var calls = 0
    /// The answer of the newest call that came before the call waited.
    private var ready: Answer?
    private var waiting: [Int: CheckedContinuation<Answer?, Never>] = [:]

    /// Returns the number of a new call.
    mutating func next() -> Int {
        calls += 1
        ready = nil
        return calls
    }

    /// Returns the answer of the newest call, which had one at once; nil when it has to wait.
    mutating func takeReady() -> Answer? {
        defer { ready = nil }
        return ready
    }

    /// Lets a call wait.
    mutating func wait(_ call: Int, _ continuation: CheckedContinuation<Answer?, Never>) {
        waiting[call] = continuation
    }

    /// Gives the answer of a call. The one of a call whose connection is gone is dropped.
    mutating func give(_ answer: Answer, to call: Int) {
        if let continuation = waiting.removeValue(forKey: call) {
            continuation.resume(returning: answer)
        } else if call == calls {
            ready = answer
        }
    }

    /// Ends the wait of a call whose connection is gone. What it asked for goes on.
    mutating func giveUp(_ call: Int) { waiting.removeValue(forKey: call)?.resume(returning: nil) }

    /// Ends all waits without an answer.
    mutating func giveUpAll() { for call in waiting.keys { giveUp(call) } }
}
