internal import Determinism
internal import Hardware
internal import Simulator

/// Makes the payment host.
enum HostFactory {
    /// What the journal calls the simulated issuer.
    static let simulatedName = "simulated"

    /// The simulated issuer, with its book beside the database, so that the next command finds it as this
    /// one left it.
    ///
    /// - Throws: `CommandFailure`
    static func host(
        beside database: String, world: any World, rules: IssuerRules
    ) throws(CommandFailure) -> any PaymentHost {
        do {
            let keys = try TestKeys.embedded()
            // The cards whose issuer answers: the one in the reader, and those that come with the program.
            return try SimulatedIssuer(
                name: simulatedName, accounts: try world.card?.issuerAccounts(keys: keys) ?? [],
                library: CardProfileLibrary.names.filter { $0 != world.card?.name }, rules: rules, keys: keys,
                time: world.time, random: world.random.stream("host"),
                ledgerPath: ledgerPath(beside: database))
        } catch let error as IssuerLedgerError {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure(
                .internalError, code: "internal", message: "the simulated issuer cannot be made: \(error)")
        }
    }

    /// The issuer's book of a database; empty when there is none yet.
    ///
    /// - Throws: `CommandFailure`
    static func book(beside database: String) throws(CommandFailure) -> IssuerLedger {
        do throws(IssuerLedgerError) {
            return try IssuerLedger(path: ledgerPath(beside: database))
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func ledgerPath(beside database: String) -> String { database + ".issuer" }
}

extension CommandFailure {
    fileprivate init(_ error: IssuerLedgerError) {
        let (message, fix) = error.description.splitAtFix
        switch error {
        case .system: self.init(.unavailable, code: "issuer_ledger", message: error.description)
        case .busy: self.init(.tryAgain, code: "issuer_ledger", message: message, fix: fix)
        case .malformedLine: self.init(.badData, code: "issuer_ledger", message: message, fix: fix)
        }
    }
}
