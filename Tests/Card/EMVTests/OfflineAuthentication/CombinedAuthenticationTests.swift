import EMV
import SmartCard
import Testing

/// CDA: signatures over the first and the second cryptogram (EMV Book 2 §6.6, Book 4 §6.3.2.1).
struct CombinedAuthenticationTests {
    typealias Profile = TestCard.Profile
    typealias Combined = SigningFixture.Combined

    private func profile(_ bend: (inout Combined) -> Void = { _ in }) throws -> Profile {
        var combined = Combined()
        bend(&combined)
        var profile = try Profile.authenticated(aip: "1D00", combined: combined)
        profile.applications[0].proprietary += tlv(0x9F38, "9F1A02 9F0206 5F2A02")
        return profile
    }

    // EMV Book 2 §6.6.2: the application cryptogram is taken out of a signature that is valid, and out of nothing
    // else
    // EMV Book 3 §6.5.5: P1 of GENERATE AC asks for a signature together with the cryptogram
    @Test func `a signed TC approves offline, and the cryptogram is recovered from the signature`() async throws {
        let card = TestCard(try profile())
        let outcome = try await AuthenticatingTill().run(card)
        #expect(outcome.decision == .approvedOffline)
        #expect(outcome.verificationResults.description == "0000000000")
        #expect(outcome.statusInformation.description == "E800")
        #expect(outcome.responseCode?.description == "Y1")
        #expect(outcome.offlineAuthentication.method == .cda)
        #expect(outcome.offlineAuthentication.result == .passed)
        #expect(outcome.cryptogram?.value == Combined.cryptogram(1))
        #expect(outcome.cryptogram?.type == .tc)
        #expect(outcome.cryptogram?.issuerApplicationData == bytes("06010A03A00000"))
        #expect(outcome.iccData.first(0x9F26)?.value == Combined.cryptogram(1))
        #expect(card.commands(0xAE).map(\.p1) == [0x50])
        #expect(card.commands(0x88).isEmpty)
    }

    // EMV Book 2 §6.6.1: with CDA the card signs the ARQC and the final TC
    // EMV Book 2 §6.6.2: objects of the answer that the terminal does not know are in the hash as well
    @Test func `both cryptograms are signed in an online payment`() async throws {
        let card = TestCard(try profile { $0.extra = tlv(0x9F7F, "0102") + bytes("9F6E8101AA") })
        let till = AuthenticatingTill(floorLimit: 0)
        let outcome = try await till.run(card)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.verificationResults.description == "0000008000")
        #expect(outcome.statusInformation.description == "E800")
        #expect(card.commands(0xAE).map(\.p1) == [0x90, 0x50])
        #expect(till.issuer.requests.first?.iccData.first(0x9F26)?.value == Combined.cryptogram(1))
        #expect(outcome.cryptogram?.value == Combined.cryptogram(2))
        // By then the TSI in CDOL2 shows that the card was authenticated.
        #expect(card.commands(0xAE).last?.data.hexText.hasPrefix("30300000008000E800") == true)
    }

    // EMV Book 2 §6.6.1: an AAC is neither asked for nor answered with a signature
    // EMV Book 3 annex C6: the TSI says nothing of CDA when no signature was there to be checked
    @Test func `an AAC is requested without a signature, and needs none`() async throws {
        for format2 in [false, true] {
            var declining = try profile()
            declining.usesFormat2 = format2
            let codes = ActionCodes(denial: .floorLimitExceeded, online: [], default: [])
            let asked = TestCard(declining)
            let refused = try await AuthenticatingTill(floorLimit: 0, actionCodes: codes).run(asked)
            #expect(refused.decision == .declinedOffline)
            #expect(asked.commands(0xAE).map(\.p1) == [0x00])
            declining.first = { _ in 0x00 }
            let outcome = try await AuthenticatingTill().run(declining)
            #expect(outcome.decision == .declinedByCard)
            #expect(outcome.cryptogram?.type == .aac)
            for outcome in [refused, outcome] {
                #expect(outcome.verificationResults.bytes[0] == 0)
                #expect(outcome.statusInformation.description == "6800")
                #expect(outcome.offlineAuthentication.method == .cda)
                #expect(outcome.offlineAuthentication.result == .notPerformed)
            }
        }
    }

    // EMV Book 2 §6.6.1: a card that declines after the issuer approved does not sign, and CDA has not failed
    @Test func `an AAC after the issuer approved is the card's word, not a failed signature`() async throws {
        var declining = try profile()
        declining.second = { _ in 0x00 }
        let outcome = try await AuthenticatingTill(floorLimit: 0).run(declining)
        #expect(outcome.decision == .declinedByCard)
        #expect(outcome.isReversalRequired)
        #expect(outcome.verificationResults.description == "0000008000")
        #expect(outcome.offlineAuthentication.result == .passed)
    }

    // EMV Book 2 §6.6.2: a wrong signature at the second GENERATE AC declines a payment whose issuer was not reached
    // EMV Book 4 §6.3.2.1: a TC asked for when the issuer cannot be reached is asked for with a signature
    @Test func `the second cryptogram is signed when the issuer cannot be reached, too`() async throws {
        let codes = ActionCodes(denial: [], online: .floorLimitExceeded, default: [])
        let issuer = TestIssuer(.unableToGoOnline)
        let card = TestCard(try profile())
        let outcome = try await AuthenticatingTill(floorLimit: 0, actionCodes: codes, issuer: issuer).run(card)
        #expect(outcome.decision == .approvedOffline)
        #expect(outcome.responseCode?.description == "Y3")
        #expect(card.commands(0xAE).map(\.p1) == [0x90, 0x50])
        let forging = TestCard(try profile { ($0.isBentAt, $0.keeps) = (2, 10) })
        let forged = try await AuthenticatingTill(floorLimit: 0, actionCodes: codes, issuer: issuer).run(forging)
        #expect(forged.decision == .declinedOffline)
        #expect(forged.responseCode?.description == "Z3")
        #expect(forged.verificationResults.description == "0400008000")
        #expect(!forged.isReversalRequired)
    }

    // EMV Book 4 §6.3.2.1: an AAC after the issuer declined is asked for without a signature
    @Test func `the issuer declines, and the AAC is not signed`() async throws {
        let card = TestCard(try profile())
        let outcome = try await AuthenticatingTill(floorLimit: 0, issuer: TestIssuer(code: "05")).run(card)
        #expect(outcome.decision == .declinedOnline)
        #expect(card.commands(0xAE).map(\.p1) == [0x90, 0x00])
    }

    /// Every way in which a signed answer can be wrong, with the reason that it gives.
    static let forgeries: [(String, OfflineAuthenticationError?, @Sendable (inout Combined) -> Void)] = [
        ("header", nil, { $0.fixture = { $0.header = 0 } }),
        ("trailer", nil, { $0.fixture = { $0.trailer = 0 } }),
        ("format", nil, { $0.fixture = { $0.format = 3 } }),
        ("hash", nil, { $0.fixture = { $0.hashDamage = 1 } }),
        ("hash algorithm", nil, { $0.fixture = { $0.hashAlgorithm = 0 } }),
        ("short", nil, { $0.fixture = { $0.change = { $0.dropLast() } } }),
        ("other key", nil, { $0.fixture = { $0.change = { $0.reversed() } } }),
        ("dynamic data of DDA", nil, { $0.keeps = 5 }),
        ("short dynamic data", nil, { $0.keeps = 33 }),
        ("number of one byte", nil, { $0.number = [1] }),
        ("number of nine bytes", nil, { $0.number = [UInt8](repeating: 1, count: 9) }),
        ("CID", .cryptogramInformation, { $0.signedCID = { $0 ^ 0xC0 } }),
        ("CID reason", .cryptogramInformation, { $0.signedCID = { $0 | 0x08 } }),
        ("sent data", .transactionData, { $0.sent = { $0.dropFirst() + [0] } }),
        ("without PDOL", .transactionData, { $0.sent = { Array($0.dropFirst(10)) } }),
        (
            "answer changed on the way", .transactionData,
            { $0.change = { answer in answer.dropLast() + [0x01] } }
        ),
        (
            "unsigned", .unsignedCryptogram,
            { $0.change = { _ in tlv(0x77, tlv(0x9F27, "40"), tlv(0x9F36, "002A"), tlv(0x9F26, "0102030405060708")) } }
        ),
        ("format 1", .unsignedCryptogram, { $0.change = { _ in bytes("800B 40 002A 0102030405060708") } }),
    ]

    // EMV Book 2 §6.6.2: header, trailer, format, hash, dynamic data, cryptogram information and transaction data
    // hash are all checked
    // EMV Book 4 §6.3.2.1: a TC whose signature fails is declined, and no second GENERATE AC follows
    @Test func `a TC with an invalid signature is declined without further commands`() async throws {
        for (name, reason, bend) in Self.forgeries {
            let card = TestCard(try profile(bend))
            let outcome = try await AuthenticatingTill().run(card)
            #expect(outcome.decision == .declinedOffline, "\(name)")
            #expect(outcome.verificationResults.description == "0400000000", "\(name)")
            #expect(outcome.statusInformation.description == "E800", "\(name)")
            #expect(outcome.responseCode?.description == "Z1", "\(name)")
            #expect(outcome.offlineAuthentication.result == .failed, "\(name)")
            if let reason { #expect(outcome.offlineAuthentication.reason == reason, "\(name)") }
            #expect(card.commands(0xAE).count == 1, "\(name)")
            #expect(!outcome.isReversalRequired && !outcome.wasSentOnline, "\(name)")
        }
    }

    // EMV Book 4 §6.3.2.1: an ARQC whose signature fails is not sent, and an AAC is requested from the card
    // EMV Book 3 annex C5: a signature that fails sets the CDA bit of the TVR
    @Test func `an ARQC with an invalid signature is not sent, and the card gets the decline`() async throws {
        for (name, reason, bend) in Self.forgeries {
            let till = AuthenticatingTill(floorLimit: 0)
            var forging = try profile {
                bend(&$0)
                let change = $0.change
                // The unsigned answers above are TCs.
                $0.change = { answer in
                    let changed = change(answer)
                    guard reason == .unsignedCryptogram else { return changed }
                    return changed.map { $0 == 0x40 ? 0x80 : $0 }
                }
            }
            forging.usesFormat2 = true
            let card = TestCard(forging)
            let outcome = try await till.run(card)
            #expect(outcome.decision == .declinedOffline, "\(name)")
            #expect(outcome.verificationResults.description == "0400008000", "\(name)")
            #expect(outcome.statusInformation.description == "E800", "\(name)")
            #expect(outcome.responseCode?.description == "Z1", "\(name)")
            #expect(outcome.cryptogram?.type == .aac, "\(name)")
            #expect(card.commands(0xAE).map(\.p1) == [0x90, 0x00], "\(name)")
            #expect(card.commands(0xAE).last?.data.hexText.hasPrefix("5A310400008000E800") == true, "\(name)")
            #expect(till.issuer.requests.isEmpty && !outcome.wasSentOnline, "\(name)")
            #expect(!outcome.isReversalRequired, "\(name)")
        }
    }

    // EMV Book 4 §6.3.2.1: a final TC whose signature fails is declined though the issuer approved
    @Test func `an approval with an invalid signature of the card is declined and reversed`() async throws {
        for (name, _, bend) in Self.forgeries {
            let card = TestCard(
                try profile {
                    bend(&$0)
                    $0.isBentAt = 2
                })
            let outcome = try await AuthenticatingTill(floorLimit: 0).run(card)
            #expect(outcome.decision == .declinedOffline, "\(name)")
            #expect(outcome.isReversalRequired && outcome.wasSentOnline, "\(name)")
            #expect(outcome.verificationResults.description == "0400008000", "\(name)")
            #expect(outcome.offlineAuthentication.result == .failed, "\(name)")
            #expect(outcome.responseCode?.description == "00", "\(name)")
            #expect(card.commands(0xAE).map(\.p1) == [0x90, 0x50], "\(name)")
        }
    }

    @Test func `a card that goes away, or insists, after a wrong ARQC is declined all the same`() async throws {
        for change in [
            { $0.removal = { $0.ins == 0xAE && $1 == 1 } }, { $0.second = { _ in 0x40 } },
        ] as [(inout Profile) -> Void] {
            var forging = try profile { $0.fixture = { $0.hashDamage = 1 } }
            change(&forging)
            let outcome = try await AuthenticatingTill(floorLimit: 0).run(forging)
            #expect(outcome.decision == .declinedOffline)
            #expect(!outcome.isReversalRequired)
            // Of a signature that is not valid there is no cryptogram.
            #expect(outcome.cryptogram == nil)
        }
    }

    // EMV Book 2 §6.6.2: the second transaction data hash covers PDOL, CDOL1 and CDOL2
    @Test func `the second hash covers the first list as well`() async throws {
        // PDOL and CDOL2 have 10 and 13 bytes.
        let forging = try profile { ($0.isBentAt, $0.sent) = (2, { $0.prefix(10) + $0.suffix(13) }) }
        let outcome = try await AuthenticatingTill(floorLimit: 0).run(forging)
        #expect(outcome.decision == .declinedOffline)
        #expect(outcome.offlineAuthentication.reason == .transactionData)
    }

    // EMV Book 3 §6.5.5.4: an answer to GENERATE AC without a signature must hold a cryptogram
    @Test func `a response without a cryptogram is an error if no signature was requested`() async throws {
        var broken = try profile()
        broken.signCryptogram = nil
        broken.aip = bytes("1C00")
        let card = Unciphered(TestCard(broken))
        let outcome = try await AuthenticatingTill().run(card)
        #expect(outcome.decision == .terminated(.data(.missing(0x9F26))))
    }

    /// Leaves the cryptogram out of every answer to GENERATE AC.
    private struct Unciphered: CardChannel {
        let card: TestCard

        init(_ card: TestCard) { self.card = card }

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            let answer = try await card.transmit(command)
            guard command.ins == 0xAE else { return answer }
            return ResponseAPDU(data: tlv(0x77, tlv(0x9F27, "40"), tlv(0x9F36, "002A")), status: .success)
        }
    }
}
