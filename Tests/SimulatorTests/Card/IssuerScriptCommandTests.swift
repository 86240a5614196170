import CardSecrets
import Cryptography
import SmartCard
import Testing

@testable import Simulator

struct IssuerScriptCommandTests {
    /// A card between its ARQC and the second GENERATE AC.
    private struct Session {
        let card: CardUnderTest
        let arqc: [UInt8]

        init() throws {
            card = try CardUnderTest(named: "issuer-script")
            try card.begin()
            arqc = try card.generateAC(0x80, terminalData()).value
        }

        /// The command with its MAC under the session key that the ARQC diversifies.
        func secured(_ header: String, _ content: [UInt8] = []) throws -> [UInt8] {
            let issuerKey = try TestKeys.embedded().withMasterKeys(.tripleDES) { $0.scriptMAC.duplicate() }
            let key = try commonSessionKey(
                try masterKey(issuerKey, pan: "4761739001010077", sequence: "01"), diversifier: arqc)
            let head = hex(header) + [UInt8(content.count + 8)]
            let mac = try RetailMAC.mac(head + [0, 2] + arqc + content, key: key, padding: .markerAndZeros)
            return head + content + mac
        }
    }

    @Test func `a PIN is unblocked`() throws {
        let session = try Session()
        #expect(try session.card.send("80CA9F1700").data == hex("9F170101"))
        #expect(try session.card.send(try session.secured("84240000")).status == .success)
        #expect(try session.card.send("80CA9F1700").data == hex("9F170103"))
    }

    @Test func `a data object is changed in its record`() throws {
        let session = try Session()
        for header in ["84DA9F14", "04DA9F14"] {
            #expect(try session.card.send(try session.secured(header, [2])).status == .success)
        }
        let record = try BERTLV.parse(try session.card.send("00B2021400").data)
        #expect(record.first(0x9F14)?.value == [2])
        #expect(record.first(0x9F23)?.value == [5])
        #expect(try session.card.send(try session.secured("84DA9F14", [2, 3])).status.rawValue == 0x6A80)
        #expect(try session.card.send(try session.secured("84DA005A", [2])).status == .referencedDataNotFound)
    }

    @Test func `an application is blocked and unblocked`() throws {
        let session = try Session()
        #expect(try session.card.send(try session.secured("841E0000")).status == .success)
        #expect(try session.card.send(try session.secured("84180000")).status == .success)
        #expect(try session.card.select().status == .success)
        let blocked = try Session()
        try blocked.card.send(try blocked.secured("841E0000"))
        #expect(try blocked.card.generateAC(0x40, Array("00".utf8) + terminalData()).information == 0x00)
        #expect(try blocked.card.select().status == .selectedFileInvalidated)
        #expect(try blocked.card.send("80A80000 02 8300 00").status == .conditionsNotSatisfied)
    }

    @Test func `a blocked card selects nothing any more`() throws {
        let session = try Session()
        // After the second GENERATE AC, as a script in template 72 has it.
        #expect(try session.card.generateAC(0x40, Array("00".utf8) + terminalData()).information == 0x40)
        #expect(try session.card.send(try session.secured("84160000")).status == .success)
        _ = session.card.card.reset(warm: false)
        #expect(try session.card.select().status == .functionNotSupported)
    }

    @Test func `a wrong or missing MAC changes nothing and is told to the issuer`() throws {
        let session = try Session()
        var command = try session.secured("841E0000")
        command[command.count - 1] ^= 1
        #expect(try session.card.send(command).status.rawValue == 0x6988)
        #expect(try session.card.send("841E0000 04 00000000").status.rawValue == 0x6987)
        // A MAC made for another command does not serve.
        command = try session.secured("84180000")
        command[1] = 0x1E
        #expect(try session.card.send(command).status.rawValue == 0x6988)
        let tc = try session.card.generateAC(0x40, Array("00".utf8) + terminalData())
        #expect(tc.information == 0x40)
        #expect(tc.issuerData.last == 0x38)
        #expect(try session.card.select().status == .success)
    }

    @Test func `a MAC of the last transaction is worth nothing in the next`() throws {
        let session = try Session()
        let command = try session.secured("841E0000")
        try session.card.begin()
        #expect(try session.card.send(command).status == .conditionsNotSatisfied)
        try session.card.generateAC(0x80, terminalData())
        #expect(try session.card.send(command).status.rawValue == 0x6988)
        #expect(try session.card.select().status == .success)
    }

    @Test(arguments: [("841E0100", "", 0x6A86), ("84240002", "", 0x6A86), ("841E0000", "00", 0x6700)])
    func `parameters are checked once the MAC is right`(header: String, content: String, status: UInt16) throws {
        let session = try Session()
        #expect(try session.card.send(try session.secured(header, hex(content))).status.rawValue == status)
    }

    @Test func `a card without scripts knows none of these commands`() throws {
        var profile = try CardProfileLibrary.profile("issuer-script")
        profile.applications[0].takesScripts = false
        let card = try CardUnderTest(profile)
        try card.begin()
        try card.generateAC(0x80, terminalData())
        #expect(try card.send("841E0000 08 0000000000000000").status == .instructionNotSupported)
    }
}
