import Simulator
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("A tap over HTTP")
struct TapTests {
    private static let plan = #"{"readers": ["dual-interface"], "cards": ["k8-credit", "k8-phone-locked"]}"#

    private func begin(_ asked: Asked, _ amount: String = "12.50", _ plan: String = plan) async throws -> String {
        let session = try await asked.session(plan)
        let begun = await asked.ask(
            "POST", session + "/payments", #"{"amount": "\#(amount)", "cardholder": "by_hand"}"#)
        #expect(begun.json["waitingFor"]?["kind"]?.text == "card")
        return session
    }

    private func outcome(_ asked: Asked, _ session: String) async -> JSON {
        await asked.ask("GET", session + "/payments/P000001").json
    }

    @Test("pays, and the reader says where the card is")
    func paid() async throws {
        let asked = Asked()
        let session = try await begin(asked)
        let waiting = await asked.ask("GET", session).json
        #expect(waiting["waitingFor"]?["ways"]?.elements.map(\.text) == ["insert", "tap"])
        #expect(waiting["readers"]?[0]?["ways"]?.elements.map(\.text) == ["insert", "tap"])
        #expect(waiting["cards"]?[0]?["contactless"]?.bool == true)
        let tapped = await asked.ask("POST", session + "/readers/reader/tap", #"{"card": "k8-credit"}"#)
        #expect(tapped.json["readers"]?[0]?["cardInField"]?.bool == true)
        #expect(tapped.json["readers"]?[0]?["hasCard"]?.bool == true)
        let payment = await outcome(asked, session)
        #expect(payment["outcome"]?.text == "approved")
        #expect(payment["card"]?["entryMode"]?.text == "contactless")
        // The card is held there until somebody moves it away.
        let away = await asked.ask("POST", session + "/readers/reader/away")
        #expect(away.json["readers"]?[0]?["cardInField"]?.bool == false)
        #expect(away.json["readers"]?[0]?["hasCard"]?.bool == false)
    }

    @Test("of a device that is unlocked meanwhile pays when it comes again")
    func unlocked() async throws {
        let asked = Asked()
        let session = try await begin(asked, "120.00")
        await asked.ask("POST", session + "/readers/reader/tap", #"{"card": "k8-phone-locked"}"#)
        #expect(await outcome(asked, session)["running"]?.bool == true)
        await asked.ask("POST", session + "/readers/reader/away")
        await asked.ask("POST", session + "/cards/k8-phone-locked/unlock")
        await asked.ask("POST", session + "/clock/advance", #"{"seconds": 5}"#)
        await asked.ask("POST", session + "/readers/reader/tap", #"{"card": "k8-phone-locked"}"#)
        let payment = await outcome(asked, session)
        #expect(payment["outcome"]?.text == "approved")
        #expect(payment["card"]?["cvm"]?.text == "device" || payment["card"]?["entryMode"]?.text == "contactless")
    }

    @Test("shows the text of each message, and clears it at the end")
    func shown() async throws {
        let asked = Asked()
        let session = try await begin(asked, "120.00")
        #expect(await asked.ask("GET", session).json["display"]?.text == "Tap the card …")
        await asked.ask("POST", session + "/readers/reader/tap", #"{"card": "k8-phone-locked"}"#)
        let asks = await asked.ask("GET", session).json
        #expect(["Follow the instructions on your phone.", "Tap the card …"].contains(asks["display"]?.text))
        let shown = await asked.ask("GET", session + "/events?kind=display").json["events"]?.elements ?? []
        let texts = shown.map { ($0["detail"]?.text, $0["display"]?.text) }
        #expect(texts.contains { $0 == ("message 17", "The card was read. You may take it away.") })
        #expect(texts.contains { $0 == ("message 20", "Follow the instructions on your phone.") })
        await asked.ask("POST", session + "/readers/reader/away")
        await asked.ask("POST", session + "/cards/k8-phone-locked/unlock")
        await asked.ask("POST", session + "/clock/advance", #"{"seconds": 5}"#)
        await asked.ask("POST", session + "/readers/reader/tap", #"{"card": "k8-phone-locked"}"#)
        #expect(await outcome(asked, session)["outcome"]?.text == "approved")
        #expect(await asked.ask("GET", session).json["display"] == nil)
    }

    @Test("needs a device to unlock, and no body to move a card away")
    func refused() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"readers": ["dual-interface"], "cards": ["visa-credit", "k8-phone"]}"#)
        let refusal = await asked.ask("POST", session + "/cards/visa-credit/unlock")
        #expect(refusal.status == 409)
        #expect(refusal.code == "no_device")
        #expect(await asked.ask("POST", session + "/cards/k8-phone/unlock").status == 200)
        #expect(await asked.ask("POST", session + "/cards/none/unlock").code == "unknown_card")
        #expect(await asked.ask("POST", session + "/readers/reader/away").status == 200)
    }

    @Test("gives way to the slot when the card is inserted instead")
    func insertedInstead() async throws {
        let asked = Asked()
        let session = try await begin(asked, "12.50", #"{"readers": ["dual-interface"], "cards": ["k8-wants-chip"]}"#)
        await asked.ask("POST", session + "/readers/reader/tap")
        let inserted = await asked.ask("POST", session + "/readers/reader/insert")
        #expect(inserted.json["readers"]?[0]?["cardInField"]?.bool == false)
        #expect(inserted.json["readers"]?[0]?["hasCard"]?.bool == true)
        await asked.ask("POST", session + "/readers/reader/remove")
        let payment = await outcome(asked, session)
        #expect(payment["outcome"]?.text == "approved")
        #expect(payment["card"]?["entryMode"]?.text == "chip")
    }

    @Test("by itself is what a simulated cardholder does with such a card")
    func automatic() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"readers": ["contactless"], "cards": ["k8-phone"]}"#)
        let payment = await asked.ask("POST", session + "/payments", #"{"amount": "120.00"}"#)
        #expect(payment.json["outcome"]?.text == "approved")
        #expect(payment.json["card"]?["entryMode"]?.text == "contactless")
    }

    @Test("is refused for a reader and a card that are not there")
    func unknown() async throws {
        let asked = Asked()
        let session = try await begin(asked)
        #expect(await asked.ask("POST", session + "/readers/other/tap").code == "unknown_reader")
        #expect(
            await asked.ask("POST", session + "/readers/reader/tap", #"{"card": "visa"}"#).code == "unknown_card")
        #expect(await asked.ask("POST", session + "/readers/other/away").code == "unknown_reader")
        #expect(await asked.ask("POST", session + "/cards/visa/unlock").code == "unknown_card")
    }

    @Test("of a reader without a field changes nothing")
    func noField() async throws {
        let asked = Asked()
        let session = try await begin(asked, "12.50", #"{"cards": ["k8-credit"]}"#)
        let tapped = await asked.ask("POST", session + "/readers/reader/tap")
        #expect(tapped.status == 200)
        #expect(tapped.json["readers"]?[0]?["cardInField"]?.bool == false)
        #expect(await outcome(asked, session)["running"]?.bool == true)
    }
}
