import TestOpenAPI
import Testing
import Text

@testable import HTTPInterface
@testable import SimulationServer

/// What the server takes is what its document says, and the other way around.
@Suite("The document says what the server does", .timeLimit(.minutes(10)))
struct RequestShapeTests {
    private let document = DocumentCheck.standard.document

    private func schema(_ name: String) throws -> JSON {
        try #require(document["components"]?["schemas"]?[name])
    }

    @Test("about the methods of a path")
    func methods() async throws {
        let asked = Asked()
        for (path, operations) in document["paths"]?.members ?? [:] {
            let reply = await asked.ask("TRACE", path)
            #expect(reply.status == 405)
            let allowed = reply.headers["Allow"]?.split(separator: ", ").map(String.init) ?? []
            #expect(allowed.sorted() == operations.members.keys.map { $0.uppercased() }.sorted(), "\(path)")
            for operation in operations.members.values {
                #expect(operation["responses"]?["405"]?["headers"]?["Allow"] != nil, "\(path)")
            }
        }
    }

    @Test func `no error repeats a card number`() async throws {
        let asked = Asked()
        let number = "4761739001010010"
        for body in ["{\"cards\": [\"\(number)\"]}", "{\"\(number)\": 1}", "{\"seed\": \"\(number)\"}"] {
            let reply = await asked.ask("POST", "/v1/sessions", body)
            #expect(reply.status >= 400, "\(body)")
            #expect(!reply.text.contains(number), "\(reply.text)")
        }
        #expect(await !asked.ask("GET", "/v1/sessions/\(number)").text.contains(number))
    }

    @Test(arguments: ["", "one", "0", "-1", "+1", "1.0", "2147483648", "\u{661}"])
    func `a number of a request that is none is refused, also without a store`(number: String) async throws {
        let asked = Asked()
        #expect(await asked.ask("POST", "/v1/sessions", "{}").status == 201)
        let refused = await asked.ask(
            "POST", "/v1/sessions/s1/continue", #"{"events": 1}"#, headers: ["session-request": number])
        #expect(refused.status == 400 && refused.code == "invalid_request_number")
        let accepted = await asked.ask(
            "POST", "/v1/sessions/s1/clock/advance", #"{"seconds": 1}"#, headers: ["session-request": "1"])
        #expect(accepted.status == 200, "\(accepted.text)")
    }

    @Test("about null, which counts as missing in every optional key of a body, and in no key of a response")
    func null() async throws {
        let asked = Asked()
        let plan = try schema("Plan")
        let nulls = try #require(plan["properties"]).members.keys.sorted().map { "\"\($0)\": null" }
        let reply = await asked.ask("POST", "/v1/sessions", "{\(nulls.joined(separator: ", "))}")
        #expect(reply.status == 201, "\(reply.text)")
        for (name, property) in plan["properties"]?.members ?? [:] {
            let types = property["type"]?.elements ?? property["oneOf"]?.elements.compactMap { $0["type"] } ?? []
            #expect(types.contains("null"), "\(name)")
        }
        #expect(try schema("Payment")["properties"]?["order"]?["type"] == "integer")
        let refused = await asked.ask("PUT", "/v1/sessions/s1/printer", #"{"condition": null}"#)
        #expect(refused.status == 422)
        #expect(try schema("PrinterChange")["properties"]?["condition"]?["type"] == "string")
    }

    @Test("about keys of which a request needs one")
    func choices() async throws {
        let asked = Asked()
        let session = try await asked.session()
        for body in ["{}", #"{"amount": "1", "order": 1}"#, #"{"amount": null, "order": null}"#] {
            #expect(await asked.ask("POST", session + "/payments", body).status == 422, "\(body)")
        }
        #expect(await asked.ask("POST", session + "/payments", #"{"amount": "1", "order": null}"#).status == 201)
        #expect(await asked.ask("POST", session + "/clock/advance", #"{"seconds": null}"#).status == 422)
        #expect(
            await asked.ask("POST", session + "/clock/advance", #"{"seconds": 1, "milliseconds": 1}"#).status == 200)
        let payment = try schema("PaymentPlan")
        #expect(payment["oneOf"]?.elements.map { $0["required"] } == [["amount"], ["order"]])
        #expect(payment["oneOf"]?[0]?["properties"]?["order"]?["type"] == "null")
        #expect(try schema("Advance")["anyOf"]?.elements.map { $0["required"] } == [["seconds"], ["milliseconds"]])
    }

    @Test("about bodies that a request needs")
    func bodies() async throws {
        let asked = Asked()
        let session = try await asked.session()
        for route in ServiceRoute.table {
            guard let body = route.body else { continue }
            let isRequired = document["paths"]?[route.path]?[route.method.lowercased()]?["requestBody"]?["required"]
            #expect(isRequired == .bool(body.resolved(in: OpenAPIDocument.schemas).needsKeys), "\(route.name)")
        }
        // Every body that needs a key is refused without one, before anything else is looked at.
        #expect(await asked.ask("POST", session + "/readers/none/faults").status == 422)
        #expect(await asked.ask("POST", session + "/choice").code == "no_choice")
    }

    @Test(
        "about lengths, which are counted in code points",
        arguments: [
            ("/readers", "name", String(repeating: "a", count: 61)),
            ("/readers", "name", "e" + String(repeating: "\u{301}", count: 60)), ("/readers", "name", ""),
            ("/payments/P000001/retry", "card", ""), ("/store/faults", "rule", String(repeating: "a", count: 201)),
        ])
    func lengths(_ path: String, _ key: String, _ text: String) async throws {
        let asked = Asked()
        let session = try await asked.session()
        let reply = await asked.ask("POST", session + path, JSONValue.members([key: .text(text)]).jsonText)
        #expect(reply.status == 422 && reply.path == key, "\(reply.text)")
    }

    @Test("about nested values, wherever they are")
    func nested() async throws {
        let asked = Asked()
        for (body, path) in [
            (#"{"readers": [{"batteryPercent": 101}]}"#, "readers[0].batteryPercent"),
            (#"{"readers": []}"#, "readers"), (#"{"store": {"orders": -1}}"#, "store.orders"),
            (#"{"issuer": {"faults": [{"fault": "answer_lost", "times": 0}]}}"#, "issuer.faults[0].times"),
            (#"{"cards": [{"name": "a"}]}"#, "cards[0]"),
        ] {
            let reply = await asked.ask("POST", "/v1/sessions", body)
            #expect(reply.status == 422 && reply.path == path, "\(reply.text)")
        }
        #expect(asked.service.sessionCount == 0)
    }

    @Test("about numbers that no amount can be", arguments: ["1e300", "-2.7913266176761994e-244", "-1", "1e20"])
    func numbers(_ number: String) async throws {
        let asked = Asked()
        let session = try await asked.session()
        let reply = await asked.ask("POST", session + "/payments", "{\"amount\": \(number)}")
        #expect(reply.status == 422 && reply.path == "amount", "\(reply.text)")
    }

    @Test("about failures: every status has its reason, and no other status comes")
    func failures() {
        for route in ServiceRoute.table {
            let responses = document["paths"]?[route.path]?[route.method.lowercased()]?["responses"]?.members ?? [:]
            #expect(responses["default"] == nil)
            #expect(
                responses.keys.sorted() == (route.allFailures.keys + [route.success.status]).map(String.init).sorted())
        }
    }
}
