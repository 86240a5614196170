import ContactlessKernel8
import EMV
import Testing

struct ActionAnalysisTests {
    private func decide(
        _ results: Kernel8VerificationResults, type: UInt8 = 0x22, offline: Bool = true
    ) -> Kernel8Decision {
        Kernel8Decision(
            results, denial: [.expiredApplication], online: [.localAuthenticationFailed, .expiredApplication],
            terminalType: type, isOfflineCapable: offline)
    }

    // EMV Book C-8 state 20: terminal action analysis by terminal type and offline capability of the card
    @Test func `every kind of terminal decides for both kinds of cards`() {
        for type: UInt8 in [0x11, 0x21, 0x14, 0x24, 0x34] {
            #expect(decide([], type: type) == .online && decide([], type: type, offline: false) == .online)
        }
        for type: UInt8 in [0x23, 0x26, 0x36, 0x13, 0x16] {
            #expect(decide([], type: type) == .accept && decide([], type: type, offline: false) == .decline)
            #expect(decide(.localAuthenticationFailed, type: type) == .accept)
        }
        for type: UInt8 in [0x12, 0x15, 0x22, 0x25, 0x35] {
            #expect(decide([], type: type) == .accept && decide([], type: type, offline: false) == .online)
            #expect(decide(.localAuthenticationFailed, type: type) == .online)
        }
    }

    @Test func `a bit of the denial code declines at every terminal`() {
        for type in UInt8.min ... .max {
            for offline in [true, false] {
                #expect(decide([.kernel8, .expiredApplication], type: type, offline: offline) == .decline)
            }
        }
    }

    @Test func `the decision asks for its cryptogram`() {
        #expect(Kernel8Decision.allCases.map(\.referenceControlParameter) == [0x40, 0x80, 0x00])
    }

    // EMV Book C-8 state 29: a card answers with no more than was asked for
    @Test func `six of nine pairs of question and answer are allowed`() {
        let allowed: [Kernel8Decision: Set<Kernel8Cryptogram>] = [
            .accept: [.tc, .arqc, .aac], .online: [.arqc, .aac], .decline: [.aac],
        ]
        for (asked, answers) in allowed {
            for answer in Kernel8Cryptogram.allCases {
                #expect(answer.isAllowed(for: asked) == answers.contains(answer))
            }
        }
        #expect(Kernel8Cryptogram(information: 0x40) == .tc)
        #expect(Kernel8Cryptogram(information: 0x88) == .arqc)
        #expect(Kernel8Cryptogram(information: 0xC0) == nil)
    }

    // EMV Book C-8 state 29: the card decides on the method, and the terminal must have it
    @Test func `a method that the terminal has is taken`() {
        let rows: [(UInt8, UInt8, Kernel8Verification.Method, String, String)] = [
            (0x00, 0x08, .noCVM, "1F0002", "0000000000"), (0x01, 0x20, .signature, "1E0000", "0000000000"),
            (0x02, 0x40, .onlinePIN, "020000", "0000040000"),
            (0x03, 0x04, .confirmationCodeVerified, "010002", "0000000000"),
        ]
        for (decision, capability, method, results, verificationResults) in rows {
            let verified = Kernel8Verification(decision: decision, capability: capability)
            #expect(verified.method == method)
            #expect(verified.results == hex(results))
            #expect(verified.verificationResults.bytes == hex(verificationResults))
            let failed = Kernel8Verification(decision: decision, capability: ~capability)
            #expect(failed.method == .notApplicable)
            #expect(failed.results == hex("3F0001"))
            #expect(failed.verificationResults == [.cardholderVerificationFailed])
        }
    }

    @Test func `other decisions are not applicable or failed, whatever the terminal has`() {
        let none = Kernel8Verification(decision: 0x0F, capability: 0xFF)
        #expect(none.results == hex("3F0000") && none.verificationResults.isEmpty)
        for decision in UInt8(0x04)...0xFF where decision != 0x0F {
            let failed = Kernel8Verification(decision: decision, capability: 0xFF)
            #expect(failed.results == hex("3F0001"))
            #expect(failed.verificationResults == [.cardholderVerificationFailed])
        }
    }
}
