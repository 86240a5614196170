internal import CardSecrets
internal import Cryptography

extension CardProfile {
    /// The accounts at the simulated issuer that belong to this card, one for each application.
    ///
    /// The cards' counters begin anew with each run of the program, so their accounts do not ask for
    /// rising ones.
    ///
    /// - Throws: a failure of libcrypto, or of a PAN that is none.
    public func issuerAccounts(keys: TestKeys) throws -> [IssuerAccount] {
        try applications.map { application in
            guard let pan = application.primaryAccountNumber() else { throw PrimaryAccountNumberError.notDigits }
            var account = try IssuerAccount(
                name: name, pan: pan,
                onlinePIN: self.account.onlinePIN?.bytes.duplicate(), keys: keys)
            account.available = self.account.available
            account.responseCode = self.account.responseCode
            account.scripts = self.account.scripts
            account.fault = self.account.isReachable ? nil : .notReachable
            return account
        }
    }

    /// What names the account of each application in the issuer's book and its rules: a keyed hash of the PAN, 16
    /// hexadecimal digits.
    ///
    /// - Throws: a failure of libcrypto, or of a PAN that is none.
    public func accountReferences(keys: TestKeys) throws -> [String] {
        try issuerAccounts(keys: keys).map(\.reference)
    }
}
