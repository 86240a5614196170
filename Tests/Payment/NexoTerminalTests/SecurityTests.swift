import CardSecrets
import Cryptography
import Determinism
import Testing
import Text

@testable import NexoTerminal

/// Encrypted messages.
struct SecurityTests {
    private static let plain = """
        {"SaleToPOIRequest":{"MessageHeader":{"ProtocolVersion":"3.0","MessageClass":"Service",\
        "MessageCategory":"Diagnosis","MessageType":"Request","ServiceID":"0000000001","SaleID":"TILL1",\
        "POIID":"P400Plus-000000001"},"DiagnosisRequest":{"HostDiagnosisFlag":false}}}
        """
    private static let blob = """
        pBxSjGMrY7nVMluofgHR3+6fOo/7JLnfj2Hptcd+r4Cfdp5Z0XzpWiI4g94I6IAnasA44ayviBe4mI4G2l6feLBdeOYyDE2eOCLcm2DBiOQ4z4y6\
        X2AEQhihAxS8e2uGZFvqkE8EKD/xEQmO5DEp2EBkHVrMP0ExWmaaMsvd4Uw4CZF8ZG3vaFZf6t9kPE8uMInMV4faLh7+eQOLTA61LjR1t/UihOEF\
        ePPp+HmHg42mNnrm6rSs0LTZeb75B6+yfL5rdXPOHm/5Y7JxDWETzdVUiRi6W9uAP8ob7fXKUBJ/ADO0yp2FDFpxLE41b1n1AnU/ZI6gJy7n9F5t\
        VW8Sx0UIhMeXM7IykQC/zSzjW0I=
        """
    private static let code = "SxdpVfPvqgFitZc1xCAv8XQ1jbCYY9OwShEHbFEDvhw="
    private static let nonce = [UInt8](0..<16)

    private static func trailer(_ members: [JSONValue.Member]) throws -> NexoTrailer {
        try #require(JSONValue.object(members)["SecurityTrailer"].flatMap { NexoTrailer($0) })
    }

    /// A message of a till around encrypted members.
    private static func message(_ text: String, _ members: [JSONValue.Member]) throws -> String {
        let header = try #require(
            JSONReader.node(Array(text.utf8))?["SaleToPOIRequest"]?["MessageHeader"])
        return JSONValue.object([
            .init("SaleToPOIRequest", .object([.init("MessageHeader", header)] + members))
        ]).jsonText
    }

    @Test func `a message is encrypted as other programs encrypt it, byte for byte`() throws {
        #expect(Self.plain.utf8.count == 261)
        let members = try NexoBench.key().seal(Array(Self.plain.utf8), nonce: Self.nonce)
        let json = JSONValue.object(members)
        #expect(json["NexoBlob"]?.string == Self.blob)
        #expect(
            json["SecurityTrailer"]?.jsonText
                == #"{"AdyenCryptoVersion":1,"KeyIdentifier":"till","KeyVersion":1,"#
                + #""Nonce":"AAECAwQFBgcICQoLDA0ODw==","Hmac":"\#(Self.code)"}"#)
    }

    @Test func `the parts of the key are those of another program`() throws {
        let derived = try PBKDF2.derive(
            SensitiveBytes(Array("correct horse battery".utf8)), salt: Array("AdyenNexoV1Salt".utf8), rounds: 4000,
            count: 80, hash: .sha1
        ).withUnsafeBytes { [UInt8]($0) }
        #expect(
            derived.lowercaseHexadecimal
                == "6d3b94b9f0f6cb7071e35a76e094dee7661587c889e4e1070b8da2c4a0d76313"
                + "4eaeef21bd9267b80ce2176b81145578ac499415ff4e0f494c841de46efef8d5"
                + "0aa54c65bda8251cc63b4e15ba8cac82")
    }

    @Test func `an encrypted message is answered encrypted, and its header stays in the clear`() throws {
        var bench = try NexoBench()
        let members = try NexoBench.key().seal(Array(Self.plain.utf8), nonce: Self.nonce)
        let response = try bench.answer(try Self.message(Self.plain, members), to: "/nexo/")
        #expect(response.status == 200)
        let outer = try #require(response.json["SaleToPOIResponse"])
        #expect(outer["DiagnosisResponse"] == nil)
        guard case .object(let sealed) = outer else { return }
        let blob = try #require(outer["NexoBlob"]?.string)
        let (key, trailer) = (try NexoBench.key(), try Self.trailer(sealed))
        let text = try #require(key.open(blob, trailer))
        let inner = try #require(JSONReader.node(text)?["SaleToPOIResponse"])
        #expect(inner["MessageHeader"] == outer["MessageHeader"])
        #expect(inner["DiagnosisResponse"]?.result == "Success")
    }

    @Test func `a message that is replayed is refused, and one with another nonce is taken`() throws {
        var bench = try NexoBench()
        let members = try NexoBench.key().seal(Array(Self.plain.utf8), nonce: Self.nonce)
        let message = try Self.message(Self.plain, members)
        #expect(try bench.answer(message, to: "/nexo").status == 200)
        let replayed = try bench.answer(message, to: "/nexo")
        #expect(replayed.status == 401)
        #expect(replayed.text == #"{"errors":["Nexo Service: crypto error"],"ServiceID":"0000000001"}"#)
        let other = try NexoBench.key().seal(Array(Self.plain.utf8), nonce: [UInt8](1...16))
        #expect(try bench.answer(try Self.message(Self.plain, other), to: "/nexo").status == 200)
    }

    @Test(arguments: ["passphrase", "identifier", "version"])
    func `a message with another key is refused, and nothing begins`(part: String) throws {
        var bench = try NexoBench()
        let key =
            switch part {
            case "passphrase": try NexoBench.key("another")
            case "identifier": try NexoBench.key(identifier: "another")
            default: try NexoBench.key(version: 2)
            }
        let text = NexoBench.message("Payment", NexoBench.payment(), id: "1")
        let members = try key.seal(Array(text.utf8), nonce: Self.nonce)
        #expect(try bench.answer(try Self.message(text, members), to: "/nexo/").status == 401)
        #expect(bench.work().isEmpty)
        // A nonce counts only with the right key: others can't use it up.
        let right = try NexoBench.key().seal(Array(text.utf8), nonce: Self.nonce)
        bench.start(try Self.message(text, right), to: "/nexo/")
        #expect(bench.begun().count == 1)
    }

    @Test func `a changed message is refused, wherever it was changed`() throws {
        let key = try NexoBench.key()
        let members = try key.seal(Array(Self.plain.utf8), nonce: Self.nonce)
        let trailer = try Self.trailer(members)
        let blob = try #require([UInt8](base64: Self.blob))
        for place in [0, 15, 16, 200, blob.count - 1] {
            var changed = blob
            changed[place] ^= 1
            #expect(key.open(changed.base64, trailer) == nil)
        }
        #expect(key.open(Array(blob.dropLast()).base64, trailer) == nil)
        #expect(key.open("", trailer) == nil)
        #expect(key.open(Self.blob, trailer) == Array(Self.plain.utf8))
        // The header outside, which nothing else protects.
        var bench = try NexoBench()
        let moved = try Self.message(Self.plain.replacing("TILL1", with: "TILL2"), members)
        #expect(try bench.answer(moved, to: "/nexo/").status == 401)
    }

    @Test func `clear text is refused where a passphrase of its own is set`() throws {
        var strict = try NexoBench { $0.takesClearText = false }
        #expect(try strict.answer(Self.plain, to: "/nexo/").status == 401)
        #expect(try strict.answer(Self.plain, to: "/sync").status == 200)
        var open = try NexoBench()
        #expect(try open.answer(Self.plain, to: "/nexo/").status == 200)
        var keyless = try NexoBench { $0.key = nil }
        let members = try NexoBench.key().seal(Array(Self.plain.utf8), nonce: Self.nonce)
        #expect(try keyless.answer(try Self.message(Self.plain, members), to: "/nexo/").status == 401)
    }

    @Test func `a nonce is remembered for 48 hours at least, and longer while there is room`() {
        var nonces = NexoNonces(most: 2)
        let (start, day) = (VirtualTimeSource.standardStart, Duration.seconds(24 * 3600))
        func nonce(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }
        var taken: [NexoNonces.Answer] = []
        for (byte, days) in [(1, 0), (1, 9), (2, 9), (3, 9), (1, 9), (2, 9), (4, 9), (4, 10), (4, 11), (5, 12)] {
            taken.append(nonces.take(nonce(UInt8(byte)), at: start.advanced(by: day * days)))
        }
        // Nonce 1 makes room for 3; then nothing is old enough until the 12th day.
        #expect(taken == [.new, .known, .new, .new, .noRoom, .known, .noRoom, .noRoom, .noRoom, .new])
        #expect(nonces.take([1], at: start) == .known)
    }

    @Test func `without room for a nonce, a message is refused, and nothing begins`() throws {
        var bench = try NexoBench { $0.mostNonces = 1 }
        func message(_ id: String, _ first: UInt8) throws -> String {
            let text = NexoBench.message("Payment", NexoBench.payment(), id: id)
            let members = try NexoBench.key().seal(Array(text.utf8), nonce: [UInt8](repeating: first, count: 16))
            return try Self.message(text, members)
        }
        bench.start(try message("1", 1), to: "/nexo/")
        try bench.finishWithCard(try bench.approval())
        _ = bench.answers()
        let refused = try bench.answer(try message("2", 2), to: "/nexo/")
        guard case .object(let sealed)? = refused.json["SaleToPOIResponse"] else {
            Issue.record("\(refused.text)")
            return
        }
        let blob = try #require(JSONValue.object(sealed)["NexoBlob"]?.string)
        let text = try #require(try NexoBench.key().open(blob, try Self.trailer(sealed)))
        #expect(JSONReader.node(text)?.at("SaleToPOIResponse", "PaymentResponse")?.result == "Busy")
        #expect(bench.begun().isEmpty)
        bench.advance(.seconds(49 * 3600))
        bench.start(try message("2", 2), to: "/nexo/")
        #expect(bench.begun().count == 1)
    }

    @Test func `a changed POIID of an encrypted message is refused as any other change`() throws {
        var bench = try NexoBench { $0.takesClearText = false }
        let members = try NexoBench.key().seal(Array(Self.plain.utf8), nonce: Self.nonce)
        for poi in ["P400Plus-000000002", "P400Plus-999999999"] {
            let moved = try Self.message(Self.plain.replacing("P400Plus-000000001", with: poi), members)
            #expect(try bench.answer(moved, to: "/nexo/").status == 401)
        }
        // The nonce is not used up.
        #expect(try bench.answer(try Self.message(Self.plain, members), to: "/nexo/").status == 200)
    }
}
