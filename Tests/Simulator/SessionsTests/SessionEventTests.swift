import Sessions
import Testing

@Suite("An event of a session")
struct SessionEventTests {
    @Test("begins with whole words")
    func words() {
        let event = SessionEvent(number: 1, milliseconds: 0, kind: .journal, detail: "authorizing P000001 sale")
        for words in ["journal", "journal authorizing", "journal authorizing P000001", event.text] {
            #expect(event.matches(words), "\(words)")
        }
        let others = ["", "j", "journal auth", "site", "journal authorizing ", event.text + " more", " journal"]
        for words in others { #expect(!event.matches(words), "\(words)") }
    }

    @Test("without a detail is its kind")
    func kinds() {
        let event = SessionEvent(number: 1, milliseconds: 0, kind: .crash)
        #expect(event.matches("crash"))
        #expect(!event.matches("crash 1"))
        #expect(!event.matches(""))
    }
}
