import EMV
import Testing

struct DecodedAnswerToResetTests {
    private func value(_ text: String) throws -> (value: DecodedValue, problem: DecodingProblem?) {
        let decoding = try #require(EMVDecoder.decode(bytes(text), as: .atr))
        return (try #require(decoding.values.first), decoding.problem)
    }

    @Test func `the characters of a T=1 card are described one by one`() throws {
        let (answer, problem) = try value("3BE800008131FE4500734F0A1B2C3D4EFB".replacing("FB", with: "9E"))
        #expect(
            answer.children.map(\.name) == [
                "TS", "T0", "TB1", "TC1", "TD1", "TD2", "TA3", "TB3", "historical bytes", "TCK",
            ])
        #expect(answer.children.map(\.meaning)[6...7] == ["takes blocks of 254 bytes", "BWI 4, CWI 5"])
        #expect(answer.children[8].children.map(\.name) == ["card capabilities", "status"])
        #expect(problem?.reason == "the check byte TCK is wrong" || problem == nil)
    }

    @Test func `protocols, mode, and rate are described`() throws {
        let (answer, problem) = try value("3B6500002063CB6800")
        #expect(problem == nil)
        #expect(answer.meaning == "T=0; negotiable mode")
        #expect(answer.problems.isEmpty)
        let (fast, _) = try value("3F 50 96 00".replacing("50", with: "30"))
        #expect(fast.children.map(\.meaning).contains("F 512, D 32"))
        #expect(fast.children.first?.meaning == "inverse convention")
    }

    // EMV Book 1 §8.3: an answer to reset that a payment terminal does not take is found at every rule that it breaks
    @Test func `every broken rule of EMV is named`() throws {
        // No TB1, TC2 zero, TB2 there.
        let (answer, problem) = try value("3B80 60 00 00".replacing("80 60", with: "80 60"))
        #expect(problem == nil)
        #expect(answer.problems.count == 3)
        #expect(answer.problems.allSatisfy { $0.hasPrefix("EMV: ") })
    }

    @Test(arguments: [("3B", 1), ("3B65", 2), ("3B650000", 4), ("AA00", 0), ("3B00FF", 2)])
    func `a truncated ATR is reported with the position`(text: String, offset: Int) throws {
        let decoding = try #require(EMVDecoder.decode(bytes(text), as: .atr))
        #expect(decoding.problem?.offset == offset)
    }
}
