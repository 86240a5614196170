import CardSecrets
import Testing
import Text

@testable import ISO8583

struct DumpTests {
    private func dump(_ message: ISOMessage, _ profile: MessageProfile) throws -> MessageDump {
        let codec = profile.makeCodec()
        let bytes = try codec.encode(message).bytes
        return MessageDump(try codec.decode(bytes, showsPlaces: true), profile)
    }

    @Test(arguments: Vector.all)
    func `no dump and no error has card data`(vector: Vector) throws {
        let dump = try dump(try vector.message, vector.profile)
        var texts = [dump.text, dump.json.jsonText, "\(try vector.message)", String(reflecting: try vector.message)]
        for count in stride(from: 0, to: vector.body.count, by: 3) {
            do { _ = try vector.profile.makeCodec().decode(Array(vector.body.prefix(count))) } catch {
                texts.append("\(error) \(String(reflecting: error))")
            }
        }
        for text in texts {
            for secret in ["4761739001010010", "476173900101", "30122011143804489", "621F91F5470F2CFE"] {
                #expect(!text.contains(secret))
            }
        }
        if vector.fields.contains(where: { $0.number == 2 }) { #expect(dump.text.contains("************0010")) }
    }

    @Test func `a dump shows place, name, and value of every field`() throws {
        let text = try dump(try Vector.numbered(10).message, Dialects.text).text
        #expect(
            text == """
                0210 financial request answer
                   20    6    3  Processing code                         000000
                   26   12    4  Amount, transaction                     000000001250
                   38   10    7  Transmission date and time              1123011801
                   48    6   11  System trace audit number (STAN)        000005
                   54    6   12  Time, local transaction                 021800
                   60    4   13  Date, local transaction                 1123
                   64    3   24  Network international identifier (NII)  001
                   67   12   37  Retrieval reference number              632701000005
                   79    2   39  Response code                           51 (not sufficient funds)
                   81    8   41  Card acceptor terminal identification   TERM0001
                   89   15   42  Card acceptor identification code       MERCHANT0000001
                  104   20   44  Additional response data                INSUFFICIENT FUNDS
                  124    3   49  Currency code, transaction              978
                  127   16   64  Message authentication code             A56E493B4D498846

                """)
    }

    @Test func `chip data is shown as tags`() throws {
        let dump = try dump(try Vector.numbered(9).message, Dialects.text)
        let chip = try #require(dump.entries.first { $0.field == 55 })
        #expect(chip.value == "113 bytes")
        #expect(chip.parts.first == .init(name: "9F26", value: "8D1E3A5C70B2946F"))
        #expect(chip.parts.contains(.init(name: "9F02", value: "000000001250")))
        #expect(dump.text.contains("52  PIN data"))
        #expect(dump.text.contains("****************"))
    }

    @Test func `card data in tags, tables, and free text is masked`() throws {
        let profile = try Dialects.changed(
            "iso87-bcd-tpdu",
            """
            fields:
              60: { content: fixed, parts: [{ name: batch, length: 6 }, { name: note, length: 4 }] }
              63: { attribute: b, content: tables, kind: LLL, maximum: 200, entry: { length: bcd2, id: 2 } }
              61: { secret: true }
              120: { attribute: b, kind: LLL, maximum: 200, content: bertlv }
            """)
        var message = try Vector.numbered(27).message
        message.set(43, bytes: Array("SHOP 4761739001010010 BERLIN           DE".utf8.prefix(40)))
        message.set(48, "card 5413330089600010 and 4761-7390-0101-0010")
        message.set(54, bytes: Array("4761739001010010".utf8))
        message.set(
            55,
            bytes: hex("5A084761739001010010 57114761739001010010D30122011143804489 9F6B02AABB DF0108")
                + hex("4761739001010010 7104 9F180101 5F2003414243"))
        message.set(60, "000123nextmore")
        message.set(61, "secret")
        message.set(62, "456")
        message.set(63, bytes: hex("0005") + Array("TXabc".utf8) + hex("9999"))
        message.set(120, bytes: hex("DF0108 4761739001010010 9F02 02 0001"))
        let dump = try dump(message, profile)
        for text in [dump.text, dump.json.indentedJSONText] {
            for secret in ["4761739001010010", "5413330089600010", "4761-7390", "AABB", "414243", "secret"] {
                #expect(!text.contains(secret), "\(secret) in \(text)")
            }
        }
        func parts(_ field: Int) -> [String] {
            dump.entries.first { $0.field == field }?.parts.map { "\($0.name)=\($0.value)" } ?? []
        }
        #expect(parts(60) == ["batch=000123", "note=next", "rest=more"])
        #expect(parts(63) == ["TX=616263", "rest=2 bytes"])
        #expect(parts(120).last == "9F02=0001")
        #expect(parts(55).contains("9F18=01"))
        #expect(parts(55).contains("DF01=****************"))
    }

    @Test func `control characters stay on their line`() throws {
        let profile = try Dialects.changed("iso87-ascii", "encoding: { characters: any }")
        var message = try Vector.numbered(3).message
        message.set(48, bytes: [0x41, 0x0A, 0x1B, 0x00, 0x85])
        #expect(try dump(message, profile).text.contains("A????"))
    }

    @Test func `chip data that cannot be parsed is not shown`() throws {
        var message = try Vector.numbered(3).message
        message.set(55, bytes: hex("9F26FF") + Array("4761739001010010".utf8))
        let dump = try dump(message, Dialects.text)
        #expect(dump.entries.first { $0.field == 55 }?.parts.map(\.name) == ["?"])
        #expect(!dump.text.contains("4761739001010010"))
    }

    @Test func `a card number comes from field 2 or the track`() throws {
        func lastFour(_ message: ISOMessage) throws -> String? {
            switch try message.primaryAccountNumber() {
            case .some(let number): number.lastFour
            case nil: nil
            }
        }
        #expect(try lastFour(try Vector.numbered(27).message) == "0010")
        #expect(try lastFour(try Vector.numbered(9).message) == "0010")
        #expect(try lastFour(try Vector.numbered(3).message) == nil)
        var message = try Vector.numbered(3).message
        message.set(primaryAccountNumber: try PrimaryAccountNumber(digits: Array("5413330089600010".utf8)))
        #expect(message.isSecret(2))
        #expect(message.text(of: 2) == nil && message.bytes(of: 2) == nil)
        #expect(message.withBytes(of: 2) { Array($0) } == Array("5413330089600010".utf8))
    }
}
