import Foundation
import Testing

@Suite("debug decode")
struct DecodeAnswerTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func decode(_ entity: String, _ text: String, _ words: [String] = []) throws -> ProgramResult {
        let file = try scratch.write(text, to: "answer.json")
        return try Program.run(["debug", "decode", "--entity", entity, file] + words, in: scratch)
    }

    private static let rate = #"{"id":3,"rate":"19.0000","name":"VAT","priority":1,"compound":false,"order":0}"#

    @Test(arguments: [rate, "{\"data\":\(rate)}"])
    func `a response is shown with or without its envelope, with unchanged amounts`(text: String) throws {
        let result = try decode("tax-rate", text)
        #expect(result.status == 0, "\(result.error)")
        let value = try result.object()
        #expect(value["name"] as? String == "VAT")
        #expect(value["rate"] as? String == "19.0000")
    }

    @Test func `a member data next to others is not an envelope`() throws {
        let text = #"{"date":"2026-01-02","unit":"day","fields":["period","views"],"data":[["2026-01-01",5]]}"#
        let result = try decode("site-visits", text)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.contains("2026-01-01"))
    }

    @Test func `an invalid element is omitted and reported, and the others are shown`() throws {
        let text = #"[{"slug":"standard","name":"Standard"},7,{"slug":"zero","name":"Zero"}]"#
        let result = try decode("tax-classes", text)
        #expect(result.status == 0)
        #expect(try result.list().map { $0["slug"] as? String } == ["standard", "zero"])
        #expect(result.error.contains("[1]"))
        let view = try decode("tax-classes", text, ["--json"]).object()
        #expect((view["value"] as? [Any])?.count == 2)
        #expect(((view["rejected"] as? [[String: Any]])?.first)?["path"] as? String == "[1]")
    }

    @Test(arguments: [
        ("order", #"{"id":"x"}"#, "unexpected_answer"), ("order", "{", "unreadable_answer"),
        ("order", "<html>", "unreadable_answer"), ("orders", "7", "unexpected_answer"),
        ("order", #"{"code":"rest_no_route","message":"No.","data":{"status":404}}"#, "not_offered"),
    ])
    func `unreadable input is an error of data with its position`(
        entity: String, text: String, code: String
    ) throws {
        let result = try decode(entity, text, ["--json"])
        #expect(result.status == 65)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == code)
    }

    @Test func `the secret of a reader's token is not shown`() throws {
        let result = try decode("connection-token", #"{"secret":"pst_s3cret","test_mode":true}"#)
        #expect(result.status == 0)
        #expect(!result.output.contains("s3cret"))
        #expect(try result.object()["testMode"] as? Bool == true)
    }

    @Test func `standard input is read, entity names are listed, and an unknown one gets a suggestion`() throws {
        let piped = try Program.run(
            ["debug", "decode", "--entity", "success", "-"], in: scratch, input: #"{"success":true}"#)
        #expect(piped.status == 0, "\(piped.error)")
        let names = try Program.run(["debug", "decode", "--list"], in: scratch).output.split(separator: "\n")
        #expect(names.contains("orders") && names == names.sorted())
        let unknown = try decode("ordres", "{}")
        #expect(unknown.status == 64)
        #expect(unknown.error.contains("did you mean 'order"))
        #expect(try Program.run(["debug", "decode", "--list", "x"], in: scratch).status == 64)
    }
}
