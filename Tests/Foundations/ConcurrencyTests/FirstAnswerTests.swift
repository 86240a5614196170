import Concurrency
import Testing

@Suite struct FirstAnswerTests {
    private enum Refusal: Error { case late }

    @Test func `an answer before the wait is kept`() async {
        let answer = FirstAnswer<Int, Refusal>()
        answer.give(.success(1))
        #expect(await withCheckedContinuation { answer.wait($0) } == .success(1))
    }

    @Test func `the first of several answers counts, before and after the wait starts`() async {
        let early = FirstAnswer<Int, Refusal>()
        early.give(.failure(.late))
        early.give(.success(1))
        #expect(await withCheckedContinuation { early.wait($0) } == .failure(.late))
        let later = FirstAnswer<Int, Refusal>()
        let result = await withCheckedContinuation { continuation in
            later.wait(continuation)
            later.give(.success(2))
            later.give(.failure(.late))
        }
        #expect(result == .success(2))
    }

    @Test func `a giver learns whether its answer counts`() async {
        let answer = FirstAnswer<Int, Never>()
        #expect(answer.give(.success(1)))
        #expect(!answer.give(.success(2)))
    }

    @Test func `without an answer, its release ends the wait with the given one`() async {
        let result = await withCheckedContinuation { continuation in
            let answer = FirstAnswer<Int, Never>(orElse: .success(3))
            answer.wait(continuation)
        }
        #expect(result == .success(3))
        let answered = await withCheckedContinuation { continuation in
            let answer = FirstAnswer<Int, Never>(orElse: .success(3))
            answer.wait(continuation)
            answer.give(.success(4))
        }
        #expect(answered == .success(4))
    }

    @Test func `of simultaneous answers exactly one counts`() async {
        for _ in 0..<200 {
            let answer = FirstAnswer<Int, Never>()
            let result = await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 { group.addTask { answer.give(.success(number)) } }
                return await withCheckedContinuation { answer.wait($0) }
            }
            #expect((0..<4).contains(result.get()))
        }
    }
}
