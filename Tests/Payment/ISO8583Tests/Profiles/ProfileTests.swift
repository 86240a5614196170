import Foundation
import Settings
import Testing

@testable import ISO8583

struct ProfileTests {
    @Test(arguments: MessageProfile.shippedNames)
    func `a shipped profile is right`(name: String) throws {
        let text = try #require(MessageProfile.shippedText(name))
        let profile = try MessageProfile(text: text, file: "\(name).yaml")
        #expect(profile.name == name)
        #expect(!profile.summary.isEmpty)
        for kind in MessageKind.allCases where kind != .inquiry && !(kind == .upload && profile.version != .v1987) {
            #expect(profile.messages[kind] != nil, "\(kind)")
        }
        #expect(profile.security.mac == nil, "a shipped profile works without keys")
    }

    @Test(arguments: MessageProfile.shippedNames)
    func `a shipped profile sends no card number after the payment`(name: String) throws {
        let profile = try #require(MessageProfile.shipped(name))
        let kinds: [MessageKind] = [.reversal, .completion, .offlineAdvice, .declineAdvice, .void, .increment, .upload]
        for kind in kinds {
            guard let form = profile.messages[kind] else { continue }
            let fields = Array(form.mandatory) + Array(form.conditional)
            #expect(Set(fields).isDisjoint(with: [2, 14, 34, 35, 36, 45, 52]), "\(kind)")
            for tags in profile.values.chip.values {
                #expect(Set(tags).isDisjoint(with: [0x57, 0x5A, 0x5F20, 0x5F24]))
            }
        }
    }

    @Test func `the base tables have every field once`() {
        for version in MessageVersion.allCases {
            #expect(FieldTable.base(version).all.map(\.number) == Array(2...128))
        }
        #expect(FieldTable.base(.v1987)[28]?.attributeText == "x+n 8")
        #expect(FieldTable.base(.v1987)[35]?.attributeText == "z ..37 LL")
        #expect(FieldTable.base(.v1993)[56]?.attributeText == "n ..35 LL")
        #expect(FieldTable.base(.v2003)[4]?.attributeText == "n 16")
        #expect(FieldTable.base(.v2003)[55]?.attributeText == "b ..9999 LLLL")
        #expect(FieldTable.base(.v1987)[52]?.isSecret == true)
    }

    /// The errors of a profile, each with its line.
    private func errors(_ text: String) throws -> [String] {
        let error = #expect(throws: MessageProfileError.self) { try MessageProfile(text: text, file: "p.yaml") }
        return error?.errors.map(\.description) ?? []
    }

    @Test(arguments: [
        ("", "the file has no settings"),
        ("version: 1987", "p.yaml:1: the key 'profile' is missing"),
        ("profile: x", "the key 'version' is missing"),
        ("profile: x\nversion: 1988", "p.yaml:2: version: unknown value '1988'"),
        ("profile: x\nversion: 1987\nencodng: {}", "p.yaml:3: unknown key 'encodng'; did you mean 'encoding'?"),
        ("profile: x\nbasedOn: iso87-asci", "did you mean 'iso87-ascii'?"),
        ("profile: x\nversion: 1987\nencoding: { mti: ebcdik }", "did you mean 'ebcdic'?"),
        ("profile: x\nversion: 1987\nencoding: { oddTrack: { side: right, digit: G } }", "not a hexadecimal digit"),
        ("profile: x\nversion: 1987\nfields: { 1: { length: 8 } }", "no field has this number"),
        ("profile: x\nversion: 1987\nfields: { 193: { length: 8 } }", "no field has this number"),
        ("profile: x\nversion: 1987\nfields: { 130: { length: 8 } }", "the edition has no field 130"),
        ("profile: x\nversion: 1987\nfields: { 3: { length: 8, maximum: 9 } }", "a fixed length has neither kind"),
        ("profile: x\nversion: 1987\nfields: { 3: { maximum: 9 } }", "the field has a fixed length"),
        ("profile: x\nversion: 1987\nfields: { 32: { maximum: 100 } }", "a length of 2 digits cannot count 100"),
        ("profile: x\nversion: 1987\nfields: { 55: { maximum: 600 } }", "a length of 3 digits cannot count 1200"),
        ("profile: x\nversion: 1987\nfields: { 32: { minimum: 12 } }", "the minimum is greater than the maximum"),
        ("profile: x\nversion: 1987\nfields: { 41: { encoding: bcd } }", "does not fit the attribute ans"),
        ("profile: x\nversion: 1987\nfields: { 48: { content: bertlv } }", "BER-TLV needs the attribute b"),
        ("profile: x\nversion: 1987\nfields: { 48: { content: fixed } }", "the content has no parts"),
        ("profile: x\nversion: 1987\nfields: { 48: { content: tables } }", "the content has no entry"),
        ("profile: x\nversion: 1987\nfields: { 35: { secret: false } }", "field 35 has card data"),
        ("profile: x\nversion: 1987\nframing: { length: { form: none } }", "a frame without a length needs a trailer"),
        ("profile: x\nversion: 1987\nframing: { length: { form: bcd, bytes: 1 } }", "cannot count 4096 bytes"),
        ("profile: x\nversion: 1987\nframing: { length: { bytes: 2, used: 3 } }", "used is greater than bytes"),
        ("profile: x\nversion: 1987\nframing: { header: { kind: fixed } }", "a fixed header needs its bytes"),
        ("profile: x\nversion: 1987\nframing: { keepAlive: { kind: echo } }", "the profile has no message echo"),
        (
            "profile: x\nversion: 1987\nvalues: { fixed: { 24: \"0001\" } }",
            "field 24 cannot have this value: it is n 3"
        ),
        ("profile: x\nversion: 1987\nvalues: { fixed: { 200: x } }", "no field has this number"),
        ("profile: x\nversion: 1987\nvalues: { processing: { sale: \"00\" } }", "field 3 cannot have this value"),
        ("profile: x\nversion: 1987\nvalues: { chip: { request: [9F2] } }", "is not hexadecimal"),
        ("profile: x\nversion: 1987\nvalues: { location: [30, 13, 2] }", "field 43 has at most 40 characters"),
        ("profile: x\nversion: 1987\nmessages: { sale: { mti: \"1200\" } }", "a message type of 1987 begins with 0"),
        ("profile: x\nversion: 1987\nmessages: { sale: { mti: \"0210\" } }", "the type of an answer"),
        (
            "profile: x\nversion: 1987\nmessages: { sale: { mti: \"0200\", answer: \"0220\" } }",
            "not the type of an answer"
        ),
        ("profile: x\nversion: 1987\nmessages: { sale: { mti: \"02x0\" } }", "not a message type"),
        ("profile: x\nversion: 1987\nmessages: { sale: { mti: \"0200\", processing: sale } }", "has no 'sale'"),
        ("profile: x\nversion: 1987\nmessages: { sale: { mti: \"0200\", fields: { M: [130] } } }", "has no field 130"),
        ("profile: x\nversion: 1987\nmessages: { sales: { mti: \"0200\" } }", "did you mean 'sale'?"),
        ("profile: x\nversion: 1987\nresults: { approved: [\"000\"] }", "field 39 cannot have this value"),
        ("profile: x\nversion: 1987\nsecurity: { pin: { format: 4, key: k } }", "field 52 must have 16 bytes"),
        ("profile: x\nversion: 1987\nsecurity: { pin: { format: 3, key: k } }", "format 0 or 4"),
        (
            "profile: x\nversion: 1987\nsecurity: { mac: { algorithm: cmac, key: k, on: [sale] } }",
            "has no message sale"
        ),
        ("profile: x\nversion: 1987\nmessages: { inquiry: repeat }", "inquiry"),
        (
            "profile: x\nbasedOn: iso87-ascii\nmessages: { inquiry: { mti: \"0600\", fields: { M: [2, 11, 90] } } }",
            "p.yaml:3: messages.inquiry.fields.M: an inquiry is sent without the card, and field 2"
        ),
        (
            "profile: x\nbasedOn: iso87-ascii\nmessages: { inquiry: { mti: \"0600\", repeat: \"0601\", fields: "
                + "{ M: [11, 90] } } }", "an inquiry is never repeated"
        ),
        (
            "profile: x\nversion: 1987\nsecurity: { mac: { algorithm: cmac, key: k, on: [] } }",
            "p.yaml:3: security.mac.on: no message has the MAC"
        ),
        // The rest of the mistake is in the profile below.
        (
            "profile: x\nbasedOn: iso87-ascii\nfields: { 52: { length: 16 } }",
            "p.yaml:2: security.pin: field 52 must have 8 bytes"
        ),
        (
            "profile: x\nbasedOn: iso87-ascii\n\nframing: { length: { form: none } }",
            "p.yaml:4: framing.length: a frame without a length needs a trailer"
        ),
        (
            "profile: x\nbasedOn: iso87-ascii\nmessages: { inquiry: { mti: \"0600\", fields: { M: [11] } } }",
            "an inquiry has to name the request that it asks about"
        ),
        (
            "profile: x\nbasedOn: iso87-ascii\nmessages: { settlement: { mti: \"0500\", totals: field63 } }",
            "unknown value 'field63'"
        ),
        ("profile: x\nversion: 1987\nresults: { signOnAgainOn: [\"580\"] }", "field 39 cannot have this value"),
        ("profile: x\nversion: 1987\nmatching: { key: [140] }", "has no field 140"),
        ("profile: x\nversion: 1987\nmessages: { echo: { mti: \"0800\", code: \"1\" } }", "field 70 cannot have this"),
        ("profile: x\nversion: 1987\ntiming: { answer: 45 }", "not a time"),
        ("profile: x\nversion: 1987\nlimits: { stanFrom: 10, stanTo: 9 }", "stanTo is less than stanFrom"),
        ("profile: x\nversion: 1987\nlimits: { stanTo: 1000000 }", "field 11 has 6 digits"),
    ])
    func `a mistake is told with its place`(text: String, expected: String) throws {
        let errors = try errors(text)
        #expect(errors.contains { $0.contains(expected) }, "\(errors)")
        #expect(errors.allSatisfy { $0.hasPrefix("p.yaml") })
    }

    @Test(arguments: [
        "mac: { algorithm: cmac, on: [sale], key: 0123456789ABCDEFFEDCBA9876543210 }",
        "mac: { algorithm: cmac, on: [sale], key: \"2B7E1516 28AED2A6 ABF71588 09CF4F3C\" }",
        "pin: { format: 0, key: ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789 }",
        "masterKey: \"0123456789ABCDEF\"",
    ])
    func `a key in the place of its name is refused, and not shown`(security: String) throws {
        let errors = try errors("profile: x\nbasedOn: iso87-ascii\nsecurity: { \(security) }")
        #expect(errors.count == 1 && errors[0].contains("this is a key, and not the name of one"), "\(errors)")
        #expect(errors.allSatisfy { $0.hasPrefix("p.yaml:3: security.") }, "\(errors)")
        #expect(errors.allSatisfy { !$0.contains("ABCDEF") && !$0.contains("2B7E") && !$0.contains("0123") })
    }

    @Test func `a profile can leave out the key exchange of the one below`() throws {
        let profile = try Dialects.changed("iso87-ascii", "messages: { keyExchange: none }")
        #expect(profile.messages[.keyExchange] == nil && profile.messages[.signOn] != nil)
    }

    @Test func `all mistakes are told at once`() throws {
        let errors = try errors(
            """
            profile: x
            version: 1987
            fields: { 1: { length: 3 }, 48: { content: tables } }
            messages:
              sale: { mti: "9999" }
              echo: { mti: "0800", fields: { M: [11, 150] } }
            results: { approved: ["0"] }
            """)
        #expect(errors.count == 5, "\(errors)")
        #expect(errors.map { $0.split(separator: ":")[1] } == ["3", "3", "5", "6", "7"])
    }

    @Test func `a profile takes the rest from the one that it is based on`() throws {
        let profile = try Dialects.changed(
            "iso87-bcd-tpdu",
            """
            encoding: { text: ebcdic037 }
            results: { meanings: { "Z9": out of ink } }
            fields: { 60: { attribute: n, maximum: 6 } }
            """)
        #expect(profile.encoding.text == .ebcdic037)
        #expect(profile.encoding.numeric == .bcd)
        #expect(profile.header.count == 5)
        #expect(profile.messages[.signOn]?.code == nil)
        #expect(profile.messages[.sale]?.mandatory.contains(49) == true)
        #expect(profile.results.meaning(of: "Z9") == "out of ink")
        #expect(profile.results.meaning(of: "51") == "not sufficient funds")
        #expect(profile.table[60]?.length == .variable(digits: 3, minimum: 0, maximum: 6))
        #expect(try #require(MessageProfile.shipped("iso2003")).results.meaning(of: "1016") == "not sufficient funds")
    }

    @Test func `the schema in the repository is the one of the program`() throws {
        let url = URL(filePath: #filePath).appending(
            path: "../../../../../Sources/Payment/ISO8583/profile.schema.json"
        ).standardized
        #expect(
            try String(contentsOf: url, encoding: .utf8) == MessageProfile.schemaText,
            "write it again: cardpresent host profiles schema > Sources/Payment/ISO8583/profile.schema.json")
    }

    @Test func `messages differ from their form by missing and surplus fields`() throws {
        let profile = Dialects.text
        var message = try Vector.numbered(18).message
        #expect(profile.differences(of: message, from: .reversal).map(\.field) == [2])
        message.remove(2)
        message.remove(90)
        let differences = profile.differences(of: message, from: .reversal)
        #expect(differences.map(\.description) == ["field 90 (Original data elements) is missing"])
        #expect(profile.differences(of: try Vector.numbered(9).message, from: .sale).map(\.field) == [64])
    }
}
