internal import CardSecrets
internal import Hardware

extension SimulatedIssuer {
    /// The account of a card; nil when the issuer has none.
    func account(of pan: borrowing PrimaryAccountNumber) throws(PaymentHostError) -> IssuerAccount? {
        try findAccounts(endingIn: pan.lastFour)
        do throws(CryptogramError) {
            return accounts[try IssuerAccount.reference(pan, keys: keys)]
        } catch {
            throw .notSent("\(error)")
        }
    }

    /// Makes the accounts of the library's cards whose PAN ends in these digits, unless they are made already. To decode
    /// the whole library takes longer than the rest of a payment.
    func findAccounts(endingIn lastFour: String?) throws(PaymentHostError) {
        guard let lastFour, !library.isEmpty, !soughtEndings.contains(lastFour) else { return }
        do {
            let names = CardProfileLibrary.names(havingPANEndingIn: lastFour)
            for name in library where names.contains(name) {
                for account in try CardProfileLibrary.profile(name).issuerAccounts(keys: keys)
                where accounts[account.reference] == nil {
                    accounts[account.reference] = account
                }
            }
        } catch {
            throw .notSent("the simulated issuer cannot make an account: \(error)")
        }
        soughtEndings.insert(lastFour)
    }
}
