import HTTPInterface
import SessionViews
import Sessions
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("A session that is looked at closely", .timeLimit(.minutes(10)))
struct InspectionTests {
    /// Creates a session with an automatic payment.
    private func paid(_ asked: Asked, card: String = "visa-credit") async throws -> String {
        let session = try await asked.session("{\"cards\": [\"\(card)\"], \"seed\": 11}")
        #expect(await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#).status == 201)
        return session
    }

    private func events(_ asked: Asked, _ session: String) async -> [JSON] {
        await asked.ask("GET", session + "/events?limit=10000").json["events"]?.elements ?? []
    }

    private func decoding(_ asked: Asked, _ session: String, of event: JSON?) async throws -> JSON {
        let number = try #require(event?["id"]?.int)
        return await asked.ask("GET", session + "/events/\(number)/decoding").json
    }

    /// All values of a tree, parents first.
    private func all(_ values: [JSON]) -> [JSON] { values.flatMap { [$0] + all($0["children"]?.elements ?? []) } }

    // MARK: Decoding

    @Test func `an exchange is decoded with its data objects and their bits`() async throws {
        let asked = Asked()
        let session = try await paid(asked)
        let exchange = await events(asked, session).first { $0["detail"]?.text?.hasPrefix("80AE") == true }
        let values = try await decoding(asked, session, of: exchange)["values"]?.elements ?? []
        #expect(values.first?["name"]?.text == "GENERATE AC")
        let parts = all(values)
        let cryptogram = parts.first { $0["tag"]?.text == "9F27" }
        #expect(cryptogram?["flags"]?[0]?["name"]?.text?.contains("ARQC") == true)
        // The command's data has no tags: the card named it before, in CDOL1.
        let results = parts.first { $0["tag"]?.text == "95" }
        #expect(results?["length"]?.int == 5)
        #expect(parts.contains { $0["tag"]?.text == "9F02" && $0["hex"]?.text == "000000001250" })
    }

    @Test func `the second cryptogram is decoded with the second list`() async throws {
        let asked = Asked()
        let session = try await paid(asked)
        let exchange = await events(asked, session).last { $0["detail"]?.text?.hasPrefix("80AE") == true }
        let parts = all(try await decoding(asked, session, of: exchange)["values"]?.elements ?? [])
        // Only CDOL2 has the issuer's response code.
        #expect(parts.contains { $0["tag"]?.text == "8A" })
    }

    @Test func `a masked exchange is decoded without the masked values`() async throws {
        let asked = Asked()
        let session = try await paid(asked)
        let exchange = await events(asked, session).first { event in
            event["kind"]?.text == "apdu" && event["detail"]?.text?.contains("5A08****************") == true
        }
        let parts = all(try await decoding(asked, session, of: exchange)["values"]?.elements ?? [])
        let number = try #require(parts.first { $0["tag"]?.text == "5A" })
        #expect(number["masked"]?.bool == true)
        #expect(number["hex"] == nil)
        #expect(number["meaning"]?.text == "masked")
        // What is not masked is there.
        #expect(parts.contains { $0["tag"]?.text == "5F28" && $0["hex"] != nil })
    }

    @Test func `a report page has an exchange in the form that the service has`() async throws {
        let asked = Asked()
        var seen: [SessionEvent] = []
        for event in await events(asked, try await paid(asked)) where event["kind"]?.text == "apdu" {
            seen.append(
                SessionEvent(
                    number: seen.count + 1, milliseconds: 0, kind: .apdu, detail: event["detail"]?.text ?? ""))
        }
        #expect(seen.count > 5)
        for (index, event) in seen.enumerated() {
            let exchange = try #require(DecodedExchange(event, after: seen[..<index]))
            #expect(exchange.json == Views.decodedExchange.json(exchange))
        }
    }

    @Test func `only an event that is an exchange is decoded`() async throws {
        let asked = Asked()
        let session = try await paid(asked)
        #expect(await asked.ask("GET", session + "/events/1/decoding").code == "no_exchange")
        for name in ["0", "-1", "9999", "first"] {
            #expect(await asked.ask("GET", session + "/events/\(name)/decoding").code == "unknown_event")
        }
    }

    // MARK: Pauses

    @Test func `a payment pauses after a breakpoint and then continues to its end`() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        let set = await asked.ask("PUT", session + "/breakpoints", #"{"events": ["journal authorizing"]}"#)
        #expect(set.json["breakpoints"]?.elements == [.text("journal authorizing")])
        let begun = await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
        #expect(begun.status == 201)
        #expect(begun.json["running"]?.bool == true)
        let view = await asked.ask("GET", session).json
        let place = try #require(view["pausedAfter"]?.int)
        let events = await events(asked, session)
        #expect(events.count == place)
        #expect(events[place - 1]["kind"]?.text == "journal")
        #expect(events[place - 1]["detail"]?.text?.hasPrefix("authorizing") == true)
        // Nothing happens in a pause.
        #expect(await self.events(asked, session) == events)
        #expect(await asked.ask("GET", session + "/payments/P000001").json["outcome"]?.text == "pending")

        let continued = await asked.ask("POST", session + "/continue", "{}")
        #expect(continued.json["pausedAfter"] == nil)
        #expect(await asked.ask("GET", session + "/payments/P000001").json["outcome"]?.text == "approved")
        #expect(await asked.ask("GET", session + "/reconciliation").json["agrees"]?.bool == true)
    }

    @Test func `a pause changes no event of a session`() async throws {
        let (asked, stepped) = (Asked(), Asked())
        let session = try await paid(asked)
        let other = try await stepped.session(#"{"cards": ["visa-credit"], "seed": 11}"#)
        await stepped.ask("POST", other + "/continue", #"{"events": 1}"#)
        await stepped.ask("POST", other + "/payments", #"{"amount": "12.50"}"#)
        var places: [Int] = []
        while let place = await stepped.ask("GET", other).json["pausedAfter"]?.int, places.count < 1000 {
            // Each step is one event.
            #expect(await events(stepped, other).count == place)
            #expect(place == places.last.map { $0 + 1 } ?? place)
            places.append(place)
            await stepped.ask("GET", other + "/payments")
            await stepped.ask("POST", other + "/continue", #"{"events": 1}"#)
        }
        #expect(places.count > 40)
        #expect(await events(stepped, other) == events(asked, session))
        let hashes = [await asked.ask("GET", session), await stepped.ask("GET", other)].map {
            $0.json["eventHash"]?.text
        }
        #expect(hashes[0]?.count == 64)
        #expect(hashes[0] == hashes[1])
    }

    @Test func `a paused session refuses changes and shows its state`() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("PUT", session + "/breakpoints", #"{"events": ["kernel online"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
        for (method, path, body) in [
            ("POST", "/payments", #"{"amount": "1.00"}"#), ("POST", "/readers/reader/remove", ""),
            ("POST", "/clock/advance", #"{"seconds": 1}"#), ("PUT", "/printer", #"{"condition": "jammed"}"#),
        ] {
            let refused = await asked.ask(method, session + path, body)
            #expect(refused.status == 409)
            #expect(refused.code == "paused", "\(path): \(refused.text)")
        }
        let view = await asked.ask("GET", session).json
        #expect(view["readers"]?[0]?["hasCard"]?.bool == true)
        #expect(view["printer"]?.text == "ready")
        await asked.ask("POST", session + "/continue", "{}")
        #expect(await asked.ask("GET", session + "/payments").json.elements.count == 1)
    }

    @Test func `a pause in the middle of a commit shows the payments before it`() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("PUT", session + "/breakpoints", #"{"events": ["saving"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
        var states: [String?] = []
        while await asked.ask("GET", session).json["pausedAfter"] != nil, states.count < 100 {
            let payment = await asked.ask("GET", session + "/payments").json[0]
            states.append(payment?["attempts"]?[0]?["states"]?.elements.last?.text)
            await asked.ask("POST", session + "/continue", "{}")
        }
        // Before each commit: created, authorizing, captured.
        #expect(states == [nil, "created", "authorizing"])
        #expect(await asked.ask("GET", session + "/payments/P000001").json["outcome"]?.text == "approved")
    }

    @Test func `a session that is held in the middle of a task ends, and its neighbors go on`() async throws {
        let asked = Asked()
        var held: [String] = []
        for _ in 0..<20 {
            let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
            await asked.ask("PUT", session + "/breakpoints", #"{"events": ["apdu 80A8"]}"#)
            await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
            #expect(await asked.ask("GET", session).json["pausedAfter"] != nil)
            held.append(session)
        }
        _ = try await paid(asked)
        await asked.ask("POST", held[0] + "/reset")
        for session in held { #expect(await asked.ask("DELETE", session).status == 204) }
        #expect(asked.service.sessionCount == 1)
    }

    @Test func `a paused session ends when it is deleted`() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("PUT", session + "/breakpoints", #"{"events": ["kernel online"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
        #expect(await asked.ask("DELETE", session).status == 204)
        #expect(asked.service.sessionCount == 0)
    }

    // MARK: Repetitions

    @Test func `a repeated session has the same events and pauses after the wanted one`() async throws {
        let asked = Asked()
        let session = try await paid(asked, card: "mastercard-debit")
        let original = await events(asked, session)
        let reply = await asked.ask("POST", session + "/repeat", #"{"event": 20}"#)
        #expect(reply.status == 201)
        #expect(reply.json["pausedAfter"]?.int == 20)
        let copy = "/v1/sessions/" + (try #require(reply.json["id"]?.text))
        #expect(copy != session)
        #expect(await events(asked, copy) == Array(original.prefix(20)))
        await asked.ask("POST", copy + "/continue", "{}")
        #expect(await events(asked, copy) == original)
        #expect(await events(asked, session) == original)
        let hashes = [await asked.ask("GET", session), await asked.ask("GET", copy)].map { $0.json["eventHash"]?.text }
        #expect(hashes[0] == hashes[1])
    }

    @Test func `a session with a payment by hand, a crash, and faults is repeated`() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["pin-required"], "readers": ["pinpad"]}"#)
        let reader = session + "/readers/reader"
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50", "cardholder": "by_hand"}"#)
        await asked.ask("POST", reader + "/insert")
        await asked.ask("POST", reader + "/press", #"{"keys": ["1", "2", "3", "4", "confirm"]}"#)
        await asked.ask("POST", reader + "/remove")
        await asked.ask("GET", session + "/payments/P000001/receipt")
        await asked.ask("POST", session + "/issuer/faults", #"{"fault": "answer_lost", "times": 1}"#)
        await asked.ask("POST", session + "/process/crash")
        await asked.ask("POST", session + "/process/restart")
        let reply = await asked.ask("POST", session + "/repeat", "{}")
        #expect(reply.status == 201)
        let copy = "/v1/sessions/" + (try #require(reply.json["id"]?.text))
        #expect(await events(asked, copy) == events(asked, session))
        #expect(await asked.ask("GET", copy + "/payments").json == asked.ask("GET", session + "/payments").json)
    }

    @Test func `a session with requests at the same time is repeated in the order in which they had an effect`()
        async throws
    {
        let asked = Asked()
        let session = try await paid(asked)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask { await asked.ask("GET", session + "/payments/P000001/receipt") }
                group.addTask {
                    await asked.ask(
                        "POST", session + "/issuer/faults", "{\"fault\": \"answer_lost\", \"times\": \(number + 1)}")
                }
                group.addTask { await asked.ask("PUT", session + "/printer", #"{"condition": "jammed"}"#) }
            }
        }
        #expect(await asked.ask("GET", session + "/requests").json.elements.count == 91)
        let reply = await asked.ask("POST", session + "/repeat", "{}")
        #expect(reply.status == 201, "\(reply.text)")
        #expect(await asked.ask("GET", session).json["eventHash"] == reply.json["eventHash"])
    }

    @Test func `an event that has not happened is not repeated`() async throws {
        let asked = Asked()
        let session = try await asked.session()
        let reply = await asked.ask("POST", session + "/repeat", #"{"event": 9999}"#)
        #expect(reply.status == 422)
        #expect(reply.path == "event")
        #expect(asked.service.sessionCount == 1)
    }

    @Test func `the requests of a session are listed without what was typed on the PIN pad`() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["pin-required"], "readers": ["pinpad"]}"#)
        let before = await events(asked, session).count
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50", "cardholder": "by_hand"}"#)
        await asked.ask("POST", session + "/readers/reader/insert")
        await asked.ask("POST", session + "/readers/reader/press", #"{"keys": ["9", "7", "5", "3", "cancel"]}"#)
        let requests = await asked.ask("GET", session + "/requests").json
        #expect(
            requests.elements.map { $0["path"]?.text } == [
                "/payments", "/readers/reader/insert", "/readers/reader/press",
            ])
        #expect(requests[0]?["events"]?.int == before)
        #expect(requests[0]?["body"]?.text?.contains("12.50") == true)
        #expect(requests[2]?["body"] == nil)
    }

    // MARK: Faults

    @Test func `the faults to come are shown until they are removed`() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        let faults = session + "/readers/reader/faults"
        await asked.ask("POST", faults, #"{"fault": "card_removed", "at": 3, "exchangesOnly": true}"#)
        await asked.ask("POST", session + "/issuer/faults", #"{"fault": "answer_delayed", "seconds": 5, "times": 2}"#)
        let armed = await asked.ask("GET", session).json
        #expect(armed["readers"]?[0]?["faults"]?.elements.count == 1)
        #expect(armed["readers"]?[0]?["faults"]?[0]?["fault"]?.text == "card_removed")
        #expect(armed["readers"]?[0]?["faults"]?[0]?["at"]?.int == 3)
        #expect(armed["issuerFaults"]?[0]?["fault"]?.text == "answer_delayed")
        #expect(armed["issuerFaults"]?[0]?["seconds"]?.int == 5)
        #expect(armed["issuerFaults"]?[0]?["timesLeft"]?.int == 2)
        #expect(await asked.ask("DELETE", faults).status == 204)
        #expect(await asked.ask("DELETE", session + "/issuer/faults").status == 204)
        let mended = await asked.ask("GET", session).json
        #expect(mended["readers"]?[0]?["faults"]?.elements.isEmpty == true)
        #expect(mended["issuerFaults"]?.elements.isEmpty == true)
        #expect(
            await asked.ask("POST", session + "/payments", #"{"amount": "1.00"}"#).json["outcome"]?.text == "approved")
    }
}
