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

@Suite("The display of a session")
struct SessionDisplayTextTests {
    private func events(_ texts: (SessionEventKind, String)...) -> [SessionEvent] {
        texts.enumerated().map {
            SessionEvent(number: $0.offset + 1, milliseconds: 0, kind: $0.element.0, detail: $0.element.1)
        }
    }

    @Test(
        "has the text of a message's identifier",
        arguments: [
            ("message 1B", "Contacting the issuer …"), ("message 15", "Tap the card …"),
            ("message 1E", ""), ("message none", ""), ("message 7F", ""),
            ("Cards can't be tapped.", "Cards can't be tapped."),
        ])
    func text(detail: String, text: String) {
        #expect(events((.display, detail))[0].shownText == text)
        #expect(events((.journal, detail))[0].shownText == nil)
    }

    @Test("shows the last text, until the step ends")
    func cleared() {
        var told = events((.step, "pay"), (.display, "message 1B"), (.host, "authorize sent"))
        #expect(SessionEvent.shownText(after: told) == "Contacting the issuer …")
        told += events((.display, "message 1E"))
        #expect(SessionEvent.shownText(after: told) == nil)
        told += events((.display, "message 03"))
        #expect(SessionEvent.shownText(after: told) == "Payment approved.")
        told += events((.stepEnded, "pay: P000001 approved"))
        #expect(SessionEvent.shownText(after: told) == nil)
        #expect(SessionEvent.shownText(after: []) == nil)
    }
}
