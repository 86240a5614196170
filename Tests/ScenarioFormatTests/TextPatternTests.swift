import ScenarioFormat
import Testing

@Suite("Patterns of expected texts")
struct TextPatternTests {
    @Test(
        "a star stands for anything, also for nothing",
        arguments: [
            ("", ""), ("*", ""), ("*", "abc"), ("a*c", "ac"), ("a*c", "abbc"), ("*APPROVED*", "  APPROVED  "),
            ("**a", "ba"), ("a*b*c", "a1b2b3c"),
        ])
    func fits(_ pattern: String, _ text: String) { #expect(TextPattern(pattern).matches(text)) }

    @Test(
        "what is not a star stands for itself, from the beginning to the end",
        arguments: [("", "a"), ("a", ""), ("a", "ab"), ("a*c", "ab"), ("A", "a"), ("a*b*c", "acb"), ("?", "a")])
    func doesNotFit(_ pattern: String, _ text: String) { #expect(!TextPattern(pattern).matches(text)) }

    @Test("an event fits when it begins with the words, and not in the middle of a word")
    func beginning() {
        #expect(TextPattern("journal authorizing").fitsBeginning(of: "journal authorizing P000001 sale"))
        #expect(!TextPattern("journal auth").fitsBeginning(of: "journal authorizing P000001 sale"))
        #expect(TextPattern("journal auth*").fitsBeginning(of: "journal authorizing P000001 sale"))
    }

    @Test("a pattern of many stars takes no endless time")
    func manyStars() {
        let pattern = TextPattern(String(repeating: "*a", count: 60) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 2000)))
    }
}
