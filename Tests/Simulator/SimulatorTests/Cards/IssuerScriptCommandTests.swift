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

        /// The command with its MAC under Visa's session key: the card's own, exclusive-or the counter.
        func secured(_ header: String, _ content: [UInt8] = [], length: Int = 8) throws -> [UInt8] {
            let issuerKey = try TestKeys.embedded().withMasterKeys(.tripleDES) { $0.scriptMAC.duplicate() }
            let key = try masterKey(issuerKey, pan: "4761739001010077", sequence: "01")
                .exclusiveOr(hex("0000000000000002 000000000000FFFD"))
            let head = hex(header) + [UInt8(content.count + length)]
            let mac = try RetailMAC.mac(head + [0, 2] + arqc + content, key: key, padding: .markerAndZeros)
            return head + content + mac.prefix(length)
        }
    }

    // EMV Book 3 §6.5.10: PIN CHANGE/UNBLOCK gives all tries back
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

    // EMV Book 3 §6.5.1: APPLICATION BLOCK makes the card decline and answer SELECT with 6283
    // EMV Book 3 §6.5.2: APPLICATION UNBLOCK undoes it
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

    // EMV Book 3 §6.5.3: CARD BLOCK makes the card refuse every selection for good
    @Test func `a blocked card selects no application`() throws {
        let session = try Session()
        // After the second GENERATE AC, as a script in template 72 has it.
        #expect(try session.card.generateAC(0x40, Array("00".utf8) + terminalData()).information == 0x40)
        #expect(try session.card.send(try session.secured("84160000")).status == .success)
        _ = session.card.card.reset(warm: false)
        #expect(try session.card.select().status == .functionNotSupported)
    }

    // EMV Book 2 §9.2: a command whose MAC is wrong or missing changes nothing
    @Test func `a wrong or missing MAC changes nothing and is reported to the issuer`() throws {
        let session = try Session()
        var command = try session.secured("841E0000")
        command[command.count - 1] ^= 1
        #expect(try session.card.send(command).status.rawValue == 0x6988)
        #expect(try session.card.send("841E0000 03 000000").status.rawValue == 0x6987)
        #expect(try session.card.send("841E0000 04 00000000").status.rawValue == 0x6988)
        // A MAC made for another command does not serve.
        command = try session.secured("84180000")
        command[1] = 0x1E
        #expect(try session.card.send(command).status.rawValue == 0x6988)
        let tc = try session.card.generateAC(0x40, Array("00".utf8) + terminalData())
        #expect(tc.information == 0x40)
        #expect(tc.issuerData.last == 0x49)
        #expect(try session.card.select().status == .success)
    }

    // EMV Book 2 §9.2.2: the MAC's session key is that of this transaction
    @Test func `a MAC of the last transaction is invalid in the next one`() throws {
        let session = try Session()
        let command = try session.secured("841E0000")
        try session.card.begin()
        #expect(try session.card.send(command).status == .conditionsNotSatisfied)
        try session.card.generateAC(0x80, terminalData())
        #expect(try session.card.send(command).status.rawValue == 0x6988)
        #expect(try session.card.select().status == .success)
    }

    @Test(arguments: [
        ("841E0100", "", 0x6A86), ("84240003", "", 0x6A86), ("84240002", "", 0x6700), ("841E0000", "00", 0x6700),
    ])
    func `parameters are checked once the MAC is right`(header: String, content: String, status: UInt16) throws {
        let session = try Session()
        #expect(try session.card.send(try session.secured(header, hex(content))).status.rawValue == status)
    }

    // EMV Book 2 §9.2.3: the MAC has four to eight bytes
    @Test func `a MAC may have four bytes`() throws {
        let session = try Session()
        for (header, content) in [("84DA9F14", [UInt8(2)]), ("84240000", []), ("841E0000", [])] {
            var wrong = try session.secured(header, content, length: 4)
            wrong[wrong.count - 1] ^= 1
            #expect(try session.card.send(wrong).status.rawValue == 0x6988)
            #expect(
                try session.card.send(try session.secured(header, content, length: 4)).status == .success, "\(header)")
        }
    }

    // EMV Book 2 §9.3: a new PIN goes to the card enciphered
    // EMV Book 3 §6.5.10: a changed PIN holds from then on, and the old one no more
    @Test(arguments: [(false, 8), (true, 8), (false, 4)])
    func `a new PIN replaces the old one`(usesCurrent: Bool, macLength: Int) throws {
        let session = try Session()
        let keys = try TestKeys.embedded()
        let pan = "4761739001010077"
        func card(_ choose: (borrowing IssuerMasterKeys) -> SensitiveBytes) throws -> SensitiveBytes {
            try masterKey(keys.withMasterKeys(.tripleDES, choose), pan: pan, sequence: "01")
        }
        let block = try ScriptEncipherment.pinBlock(
            newPIN: SealedBytes([9, 8, 7, 6, 5]), currentPIN: usesCurrent ? SealedBytes([1, 2, 3, 4]) : nil,
            version: .cvn18, cryptogramKey: try card { $0.applicationCryptogram.duplicate() })
        let data = try ScriptEncipherment.encipher(
            block, atc: 2, applicationCryptogram: session.arqc, version: .cvn18,
            masterKey: try card { $0.scriptConfidentiality.duplicate() })
        let header = usesCurrent ? "84240001" : "84240002"
        // Deciphered under another transaction's key it is no PIN.
        let garbage = try session.secured(header, [UInt8](repeating: 0x5A, count: 16), length: macLength)
        #expect(try session.card.send(garbage).status.rawValue == 0x6988)
        #expect(try session.card.send(try session.secured(header, data, length: macLength)).status == .success)
        #expect(try session.card.send("80CA9F1700").data == hex("9F170103"))
        try session.card.begin()
        #expect(try session.card.send("00200080 08 241234FFFFFFFFFF").status.rawValue == 0x63C2)
        #expect(try session.card.send("00200080 08 2598765FFFFFFFFF").status == .success)
    }

    @Test func `limits are changed with their own tags`() throws {
        let session = try Session()
        #expect(try session.card.send("80CA9F5800").data == hex("9F580103"))
        #expect(try session.card.send(try session.secured("84DA9F58", [1])).status == .success)
        #expect(try session.card.send("80CA9F5800").data == hex("9F580101"))
        // There is no limit on money on this card.
        #expect(
            try session.card.send(try session.secured("84DA9F54", hex("000000001000"))).status
                == .referencedDataNotFound)
    }

    @Test(arguments: [4, 8]) func `a record is changed as a whole`(macLength: Int) throws {
        let session = try Session()
        let record = try session.card.send("00B2021400").data
        var changed = record
        changed[try #require(record.firstRange(of: hex("9F1401"))).upperBound] = 7
        #expect(
            try session.card.send(try session.secured("04DC0214", changed, length: macLength)).status == .success)
        #expect(try session.card.send("00B2021400").data == changed)
        #expect(try session.card.send(try session.secured("04DC0214", hex("7003 9F1400"))).status.rawValue == 0x6A80)
        #expect(try session.card.send(try session.secured("04DC0914", changed)).status == .recordNotFound)
        #expect(try session.card.send(try session.secured("04DC02F4", changed)).status == .fileNotFound)
    }

    // EMV Book 3 §10.10: the card takes script commands only after it asked for its issuer
    @Test func `scripts are accepted after an online request, not before`() throws {
        let card = try CardUnderTest(named: "issuer-script")
        try card.begin()
        #expect(try card.send("84240000 08 0000000000000000").status == .conditionsNotSatisfied)
        #expect(try card.generateAC(0x00, terminalData()).information == 0x00)
        #expect(try card.send("84240000 08 0000000000000000").status == .conditionsNotSatisfied)
    }

    @Test func `a card without scripts rejects these commands`() throws {
        var profile = try CardProfileLibrary.profile("issuer-script")
        profile.applications[0].takesScripts = false
        let card = try CardUnderTest(profile)
        try card.begin()
        try card.generateAC(0x80, terminalData())
        #expect(try card.send("841E0000 08 0000000000000000").status == .instructionNotSupported)
    }
}
