internal import CardSecrets
internal import Cryptography

extension CardProfile {
    /// The accounts at the simulated issuer that belong to this card: one for each application, and one for the magnetic
    /// stripe when that is of another account.
    ///
    /// The cards' counters begin anew with each run of the program, so their accounts do not ask for
    /// rising ones.
    ///
    /// - Throws: a failure of libcrypto, or of a PAN that is none.
    public func issuerAccounts(keys: TestKeys) throws -> [IssuerAccount] {
        if let recording {
            var account = try issuerAccount(recording.pan, country: nil, keys: keys)
            account.recordedAnswers = recording.answers
            return [account]
        }
        var accounts = try applications.map { try issuerAccount($0.pan, country: $0.issuerCountry, keys: keys) }
        if let stripe {
            let account = try issuerAccount(stripe.pan, country: stripe.issuerCountry, keys: keys)
            if !accounts.contains(where: { $0.reference == account.reference }) { accounts.append(account) }
        }
        return accounts
    }

    private func issuerAccount(_ digits: SealedBytes, country: UInt16?, keys: TestKeys) throws -> IssuerAccount {
        var open = digits.copy()
        defer { open.wipe() }
        guard let pan = TestPAN.number(open) else { throw PrimaryAccountNumberError.notDigits }
        var account = try IssuerAccount(
            name: name, pan: pan, onlinePIN: self.account.onlinePIN?.bytes.duplicate(), keys: keys)
        account.available = self.account.available
        account.responseCode = self.account.responseCode
        account.scripts = self.account.scripts
        account.country = country
        account.fault = self.account.isReachable ? nil : .notReachable
        return account
    }

    /// What names the accounts in the issuer's book and its rules, in the order of ``issuerAccounts(keys:)``: a keyed
    /// hash of the PAN, 16 hexadecimal digits.
    ///
    /// - Throws: a failure of libcrypto, or of a PAN that is none.
    public func accountReferences(keys: TestKeys) throws -> [String] {
        try issuerAccounts(keys: keys).map(\.reference)
    }
}
