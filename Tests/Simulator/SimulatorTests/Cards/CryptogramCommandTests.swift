import CardSecrets
import Cryptography
import SmartCard
import Testing

@testable import Simulator

/// The issuer master key for application cryptograms.
private func issuerMasterKey() throws -> SensitiveBytes {
    try TestKeys.embedded().withMasterKeys(.tripleDES) { $0.applicationCryptogram.duplicate() }
}

struct CryptogramCommandTests {
    private let visaPAN = "4761739001010010"

    private func visaSessionKey(atc: [UInt8] = [0, 2]) throws -> SensitiveBytes {
        try commonSessionKey(
            try masterKey(try issuerMasterKey(), pan: visaPAN, sequence: "01"), diversifier: atc + [0, 0, 0, 0, 0, 0])
    }

    /// Issuer authentication data by method 2: a MAC of 4 bytes, and the card status update.
    private func issuerAuthentication(_ arqc: [UInt8], _ update: String) throws -> [UInt8] {
        let mac = try RetailMAC.mac(arqc + hex(update), key: try visaSessionKey(), padding: .markerAndZeros)
        return mac.prefix(4) + hex(update)
    }

    private func externalAuthenticate(_ data: [UInt8]) -> [UInt8] { hex("00820000") + [UInt8(data.count)] + data }

    private func second(_ responseCode: String, _ data: [UInt8] = terminalData()) -> [UInt8] {
        Array(responseCode.utf8) + data
    }

    @Test func `a card that takes payments for days keeps its newest 1,000 cryptograms`() throws {
        let card = try CardUnderTest(named: "visa-credit")
        for _ in 0..<1005 {
            try card.begin()
            try card.generateAC(0x00, terminalData())
        }
        let kept = card.card.cryptograms
        #expect(kept.count == 1000)
        #expect(kept.last.map(\.counter) == kept.first.map { $0.counter + 999 })
        #expect(kept.allSatisfy { $0.kind == .declined })
    }

    // EMV Book 2 §8.1.2: the ARQC is a MAC under the session key of this counter
    @Test func `the ARQC of CVN 18 is a MAC under the common session key`() throws {
        let card = try CardUnderTest(named: "visa-credit")
        try card.begin()
        let arqc = try card.generateAC(0x80, terminalData())
        #expect(arqc.information == 0x80)
        #expect(arqc.atc == [0, 2])
        #expect(arqc.issuerData == hex("06011203A00000"))
        let message = terminalData() + hex("1C00 0002") + arqc.issuerData
        #expect(arqc.value == (try RetailMAC.mac(message, key: try visaSessionKey(), padding: .markerAndZeros)))
    }

    @Test func `the ARQC of CVN 10 is a MAC under the card's own key, with the CVR at the end`() throws {
        let card = try CardUnderTest(named: "online-pin")
        try card.begin()
        let arqc = try card.generateAC(0x80, terminalData())
        let key = try masterKey(try issuerMasterKey(), pan: "4761739001010051", sequence: "01")
        let message = terminalData() + hex("1C00 0002") + arqc.issuerData.suffix(4)
        #expect(arqc.issuerData.count == 7)
        #expect(arqc.value == (try RetailMAC.mac(message, key: key, padding: .zeros)))
    }

    @Test func `the ARQC of M-Chip is a MAC under a session key with the unpredictable number in it`() throws {
        let card = try CardUnderTest(named: "mastercard-credit")
        try card.begin("A0000000041010")
        let arqc = try card.generateAC(0x80, terminalData() + hex("22 1F0002"))
        let key = try commonSessionKey(
            try masterKey(try issuerMasterKey(), pan: "5413330089010012", sequence: "01"),
            diversifier: hex("0002 0000 11223344"))
        let message = terminalData() + hex("1800 0002") + arqc.issuerData[2..<8]
        #expect(arqc.issuerData.count == 18)
        #expect(arqc.value == (try RetailMAC.mac(message, key: key, padding: .markerAndZeros)))
    }

    // EMV Book 2 annex A1.4.3: an AES card's master key is derived by option C
    @Test func `the ARQC of the AES card is a CMAC`() throws {
        let card = try CardUnderTest(named: "aes-card")
        try card.begin("A0000000041010")
        let arqc = try card.generateAC(0x80, terminalData())
        // Option C of annex A1.4: the digits of PAN and sequence number, and for a key of 16 bytes one block.
        let issuerKey = try TestKeys.embedded().withMasterKeys(.aes) { $0.applicationCryptogram.duplicate() }
        let master = try AES.encrypt(hex("00000000000000541333008901004601"), key: issuerKey)
        let session = try AES.encrypt(
            hex("0002") + [UInt8](repeating: 0, count: 14), key: SensitiveBytes(master.prefix(16)))
        let message = terminalData() + hex("1800 0002") + arqc.issuerData
        #expect(issuerKey.count == 16)
        #expect(arqc.issuerData.count == 32)
        #expect(arqc.value == Array(try AESCMAC.mac(message, key: SensitiveBytes(session)).prefix(8)))
    }

    // EMV Book 3 §10.11: after an approved issuer authentication the card gives a TC, and the transaction is over
    @Test func `an approved payment ends in a TC`() throws {
        let card = try CardUnderTest(named: "visa-credit")
        try card.begin()
        let arqc = try card.generateAC(0x80, terminalData())
        #expect(
            try card.send(externalAuthenticate(try issuerAuthentication(arqc.value, "00820000"))).status == .success)
        let tc = try card.generateAC(0x40, second("00"))
        #expect(tc.information == 0x40)
        #expect(tc.issuerData == hex("06011203600000"))
        let message = terminalData() + hex("1C00 0002") + tc.issuerData
        #expect(tc.value == (try RetailMAC.mac(message, key: try visaSessionKey(), padding: .markerAndZeros)))
        #expect(try card.send("80CA9F1300").data == hex("9F13020002"))
        // The transaction is over.
        #expect(try card.generateAC(0x40, second("00")).status == .conditionsNotSatisfied)
        #expect(try card.generateAC(0x80, terminalData()).status == .conditionsNotSatisfied)
    }

    // EMV Book 3 §6.5.4: a wrong ARPC is answered with 6300, and EXTERNAL AUTHENTICATE is good once
    // EMV Book 3 §6.5.5.4: an AAC after a failed issuer authentication gives that as its reason
    @Test func `a wrong ARPC makes the card decline with a reason`() throws {
        let card = try CardUnderTest(named: "visa-credit")
        try card.begin()
        let arqc = try card.generateAC(0x80, terminalData())
        var data = try issuerAuthentication(arqc.value, "00820000")
        data[0] ^= 1
        #expect(try card.send(externalAuthenticate(data)).status == .authenticationFailed)
        // There is one try a transaction.
        data[0] ^= 1
        #expect(try card.send(externalAuthenticate(data)).status == .conditionsNotSatisfied)
        let aac = try card.generateAC(0x40, second("00"))
        #expect(aac.information == 0x03)
        #expect(aac.issuerData[4] & 0x08 == 0x08)
        #expect(try card.send("80CA9F1300").data == hex("9F13020001"))
    }

    // EMV Book 3 annex C10: a card status update without approval makes the card decline
    @Test func `a decline in the ARPC overrides the terminal's request`() throws {
        let card = try CardUnderTest(named: "visa-credit")
        try card.begin()
        let arqc = try card.generateAC(0x80, terminalData())
        try card.send(externalAuthenticate(try issuerAuthentication(arqc.value, "00000000")))
        #expect(try card.generateAC(0x40, second("00")).information == 0x00)
    }

    // EMV Book 3 annex C10: a card status update can block the application or the card
    @Test func `a card status update blocks the application, or the card`() throws {
        let application = try CardUnderTest(named: "visa-credit")
        try application.begin()
        var arqc = try application.generateAC(0x80, terminalData()).value
        try application.send(externalAuthenticate(try issuerAuthentication(arqc, "00A00000")))
        #expect(try application.generateAC(0x40, second("00")).information == 0x00)
        #expect(try application.select().status == .selectedFileInvalidated)

        let whole = try CardUnderTest(named: "visa-credit")
        try whole.begin()
        arqc = try whole.generateAC(0x80, terminalData()).value
        try whole.send(externalAuthenticate(try issuerAuthentication(arqc, "00400000")))
        #expect(try whole.generateAC(0x40, second("05")).information == 0x00)
        #expect(try whole.select().status == .functionNotSupported)
    }

    // EMV Book 3 §10.9: a card may take issuer authentication with the second GENERATE AC
    @Test func `M-Chip takes the ARPC with the second command`() throws {
        let master = try masterKey(try issuerMasterKey(), pan: "5413330089010012", sequence: "01")
        // The ARPC has two binary bytes of its own, whatever the authorization response code.
        for (isRight, code, responseCode, expected) in [
            (true, hex("0010"), "00", UInt8(0x40)), (true, hex("0012"), "00", 0x40), (true, hex("0000"), "05", 0x00),
            (true, hex("0002"), "00", 0x00), (false, hex("0012"), "00", 0x03),
        ] {
            let card = try CardUnderTest(named: "mastercard-credit")
            try card.begin("A0000000041010")
            let arqc = try card.generateAC(0x80, terminalData() + hex("22 1F0002")).value
            var arpc = try TripleDES.encrypt(zip(arqc, code + hex("000000000000")).map { $0 ^ $1 }, key: master)
            if !isRight { arpc[7] ^= 0x80 }
            let final = try card.generateAC(
                0x40, arpc + code + Array(responseCode.utf8) + hex("8000000000 55667788"))
            #expect(final.information == expected)
            #expect(try card.send("00820000 0A" + String(repeating: "00", count: 10)).status == .conditionsNotSatisfied)
        }
    }

    @Test func `without a response the card declines, unless its profile allows approval`() throws {
        let careful = try CardUnderTest(named: "visa-credit")
        try careful.begin()
        try careful.generateAC(0x80, terminalData())
        let aac = try careful.generateAC(0x40, second("Y3"))
        #expect(aac.information == 0x00)
        // The next ARQC shows that the last transaction was not completed.
        try careful.begin()
        #expect(try careful.generateAC(0x80, terminalData()).issuerData == hex("06011203A08000"))

        let easy = try CardUnderTest(named: "offline-approve")
        try easy.begin("A0000000041010")
        try easy.generateAC(0x80, terminalData() + hex("22 1F0002"))
        let tc = try easy.generateAC(0x40, hex("00000000000000000000") + Array("Y3".utf8) + hex("8000000000 55667788"))
        #expect(tc.information == 0x40)
    }

    @Test func `issuer authentication can be required`() throws {
        var profile = try CardProfileLibrary.profile("visa-credit")
        profile.applications[0].risk.requiresIssuerAuthentication = true
        for (requires, expected) in [(false, UInt8(0x40)), (true, 0x00)] {
            profile.applications[0].risk.requiresIssuerAuthentication = requires
            let card = try CardUnderTest(profile)
            try card.begin()
            try card.generateAC(0x80, terminalData())
            #expect(try card.generateAC(0x40, second("00")).information == expected)
        }
    }

    // EMV Book 3 §10.8: a card that declines answers every request with an AAC, and there is no second GENERATE AC
    @Test func `a card that declines offline always returns an AAC`() throws {
        for type: UInt8 in [0x00, 0x40, 0x80] {
            let card = try CardUnderTest(named: "declined-offline")
            try card.begin()
            #expect(try card.generateAC(type, terminalData()).information == 0x00)
            #expect(try card.generateAC(0x40, second("00")).status == .conditionsNotSatisfied)
        }
    }

    @Test func `offline approvals end when their sum exceeds the limit`() throws {
        var profile = try CardProfileLibrary.profile("offline-approve")
        // A transaction that is broken off is no reason to go online.
        profile.applications[0].risk.actions.online.remove(.lastOnlineNotCompleted)
        let card = try CardUnderTest(profile)
        func ask(_ type: UInt8, _ data: [UInt8]) throws -> UInt8 {
            try card.begin("A0000000041010")
            return try card.generateAC(type, data + hex("22 1F0002")).information
        }
        #expect(try ask(0x40, terminalData(cents: 3000)) == 0x40)
        #expect(try ask(0x40, terminalData(cents: 2001)) == 0x80)
        #expect(try ask(0x40, terminalData(cents: 2000)) == 0x40)
        #expect(try ask(0x40, terminalData(cents: 1)) == 0x80)
        #expect(try ask(0x40, terminalData(cents: 0, currency: "0978")) == 0x80)
        #expect(try ask(0x00, terminalData(cents: 1)) == 0x00)
    }

    // EMV Book 3 §10.8: a card answers with what it was asked for or less
    @Test func `a card never approves more than requested`() throws {
        let card = try CardUnderTest(named: "offline-approve")
        try card.begin("A0000000041010")
        #expect(try card.generateAC(0x80, terminalData(cents: 1) + hex("22 1F0002")).information == 0x80)
        let visa = try CardUnderTest(named: "visa-credit")
        try visa.begin()
        #expect(try visa.generateAC(0x40, terminalData()).information == 0x80)
        #expect(try visa.generateAC(0x80, second("00")).status == .conditionsNotSatisfied)
        #expect(try visa.generateAC(0x00, second("05")).information == 0x00)
    }

    // EMV Book 3 §6.5.5: P1, P2, class and length of GENERATE AC are checked
    @Test(arguments: [
        ("80AEC000", 29, 0x6A86), ("80AE9000", 29, 0x6A86), ("80AE8001", 29, 0x6A86), ("80AE8000", 28, 0x6700),
        ("80AE8000", 30, 0x6700), ("00AE8000", 29, 0x6E00),
    ])
    func `malformed commands are rejected and do not affect the transaction`(
        header: String, count: Int, status: UInt16
    ) throws {
        let card = try CardUnderTest(named: "visa-credit")
        try card.begin()
        let data = [UInt8](repeating: 0, count: count)
        #expect(try card.send(hex(header) + [UInt8(count)] + data + [0]).status.rawValue == status)
        #expect(try card.generateAC(0x80, terminalData()).information == 0x80)
    }

    // EMV Book 3 annex D: the transaction log is records in the form that the log format gives, the newest first
    @Test func `the log lists the newest approvals first`() throws {
        var profile = try CardProfileLibrary.profile("offline-approve")
        profile.applications[0].logRecords = 2
        let card = try CardUnderTest(profile)
        #expect(try BERTLV.parse(try card.select("A0000000041010").data).first(0x9F4D)?.value == [0x0B, 0x02])
        #expect(try card.send("80CA9F4F00").data == hex("9F4F10 9F3602 9A03 9C01 9F0206 5F2A02 9F2701"))
        for cents in 1...3 {
            try card.begin("A0000000041010")
            try card.generateAC(0x40, terminalData(cents: cents) + hex("22 1F0002"))
        }
        #expect(try card.send("00B2015C00").data == hex("0004 260102 00 000000000003 0840 40"))
        #expect(try card.send("00B2025C00").data == hex("0003 260102 00 000000000002 0840 40"))
        #expect(try card.send("00B2035C00").status == .recordNotFound)
    }
}
