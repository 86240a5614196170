import CardSecrets
import Cryptography
import EMV

/// Checks certificates and signatures step by step, as a terminal does in offline data authentication (EMV Book 2 §5
/// and §6), and reports each step.
public struct OfflineAuthenticationCheck: Hashable, Sendable {
    /// One step.
    public struct Step: Hashable, Sendable {
        /// The check.
        public enum Name: String, Hashable, Sendable, CaseIterable {
            case issuerCertificate, staticData, iccCertificate, dynamicData, combinedData
        }

        public let name: Name
        /// Why it failed; nil if it passed.
        public let failure: String?
    }

    /// The steps in order. A failed step is the last one.
    public private(set) var steps: [Step] = []
    /// Tag 9F45 from a valid signature.
    public private(set) var dataAuthenticationCode: [UInt8]?
    /// Tag 9F4C from the card's last valid signature.
    public private(set) var dynamicNumber: [UInt8]?
    /// Tag 9F26 from a valid CDA signature.
    public private(set) var cryptogram: [UInt8]?
    private let expectation: OfflineAuthenticationCase.Expectation

    /// Whether every step passed.
    public var passes: Bool { steps.allSatisfy { $0.failure == nil } }

    /// Returns whether the result matches the expectation of the case.
    public var meetsExpectation: Bool {
        passes == expectation.passes
            && (expectation.step == nil || expectation.step == steps.last?.name)
            && (expectation.dataAuthenticationCode == nil
                || expectation.dataAuthenticationCode == dataAuthenticationCode)
            && (expectation.dynamicNumber == nil || expectation.dynamicNumber == dynamicNumber)
            && (expectation.cryptogram == nil || expectation.cryptogram == cryptogram)
    }

    /// Runs all steps that the data allows, up to the first that fails.
    public init(_ given: OfflineAuthenticationCase) {
        expectation = given.expectation
        guard let issuer = recoverIssuerKey(given) else { return }
        if let defect = given.staticDataDefect, given.staticSignature != nil || given.icc != nil {
            note(.staticData, OfflineAuthenticationError.staticData(defect))
            return
        }
        if let signature = given.staticSignature {
            do throws(SignedApplicationDataError) {
                let data = try SignedStaticApplicationData(
                    opening: signature, issuer: issuer, staticData: given.staticData)
                dataAuthenticationCode = data.dataAuthenticationCode
                note(.staticData)
            } catch {
                note(.staticData, error)
                return
            }
        }
        guard let icc = recoverCardKey(given, issuer: issuer) else { return }
        if let dda = given.dda {
            do throws(SignedApplicationDataError) {
                let data = try SignedDynamicApplicationData(
                    opening: dda.signature, key: icc, terminalData: dda.terminalData)
                dynamicNumber = data.dynamicNumber
                note(.dynamicData)
            } catch {
                note(.dynamicData, error)
                return
            }
        }
        if let cda = given.cda { check(cda, key: icc) }
    }

    private mutating func recoverIssuerKey(_ given: OfflineAuthenticationCase) -> IssuerPublicKey? {
        do {
            let pan = try given.pan.accountNumber()
            let key = try IssuerPublicKey(
                recovering: given.issuer, authority: given.authority, pan: pan, date: given.date,
                revoked: given.revoked)
            note(.issuerCertificate)
            return key
        } catch {
            note(.issuerCertificate, error)
            return nil
        }
    }

    private mutating func recoverCardKey(
        _ given: OfflineAuthenticationCase, issuer: IssuerPublicKey
    ) -> ICCPublicKey? {
        guard let icc = given.icc else { return nil }
        do {
            let pan = try given.pan.accountNumber()
            let key = try ICCPublicKey(
                recovering: icc, issuer: issuer, pan: pan, staticData: given.staticData, date: given.date)
            note(.iccCertificate)
            return key
        } catch {
            note(.iccCertificate, error)
            return nil
        }
    }

    private mutating func check(_ cda: OfflineAuthenticationCase.CDA, key: ICCPublicKey) {
        do {
            let data = try SignedDynamicApplicationData(
                opening: cda.signature, key: key, terminalData: cda.unpredictableNumber)
            guard let combined = data.combined else {
                return note(.combinedData, OfflineAuthenticationError.unsignedCryptogram)
            }
            guard combined.information.rawValue == cda.information else {
                return note(.combinedData, OfflineAuthenticationError.cryptogramInformation)
            }
            guard try SHA1.hash(cda.transactionData) == combined.transactionDataHash else {
                return note(.combinedData, OfflineAuthenticationError.transactionData)
            }
            (dynamicNumber, cryptogram) = (data.dynamicNumber, combined.cryptogram)
            note(.combinedData)
        } catch {
            note(.combinedData, error)
        }
    }

    private mutating func note(_ name: Step.Name, _ failure: any Error) {
        steps.append(Step(name: name, failure: "\(failure)"))
    }

    private mutating func note(_ name: Step.Name) { steps.append(Step(name: name, failure: nil)) }
}
