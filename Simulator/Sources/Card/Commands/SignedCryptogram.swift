internal import Cryptography
internal import SmartCard

/// The answer to GENERATE AC when the terminal asks for combined data authentication (EMV Book 2 §6.6.1).
extension CardOperatingSystem {
    /// A template 77 with the cryptogram inside the card's signature; nil when the card has no key.
    ///
    /// The signature holds a hash over everything that the terminal has sent and everything that the answer says in
    /// the clear, and is bound to the terminal's unpredictable number.
    func signedCryptogram(
        _ index: Int, _ transaction: CardTransaction, cryptogramInformation: UInt8, cryptogram: [UInt8],
        information: [UInt8]
    ) -> [UInt8]? {
        guard let authentication = applications[index].profile.offlineAuthentication else { return nil }
        let counter = [
            BERTLV(0x9F27, [cryptogramInformation]), BERTLV(0x9F36, transaction.atc.bigEndianBytes),
        ]
        let issuerData = BERTLV(0x9F10, information)
        let answer = (counter + [issuerData]).flatMap(\.encoded)
        guard let hash = try? SHA1.hash(transaction.terminalData + answer) else { return nil }
        let number = dynamicNumber(authentication, transaction)
        let dynamicData = [UInt8(number.count)] + number + [cryptogramInformation] + cryptogram + hash
        guard
            let signature = dynamicSignature(index, dynamicData, rest: transaction.terminalValues[0x9F37] ?? [])
        else { return nil }
        return BERTLV(0x77, children: counter + [BERTLV(0x9F4B, signature), issuerData]).encoded
    }
}
