import Concurrency
public import Networking
import Storage
import Synchronization

/// The payment gateways of the store site: its accounts, the selected account, and gateway requests.
final class GatewayAccounts: Sendable {
    private let site: PaymentSite?
    private let selected = Mutex<PaymentGatewayAccount?>(nil)

    init(site: PaymentSite?) { self.site = site }

    /// The selected account; nil when there is none.
    var current: PaymentGatewayAccount? { selected.withLock { $0 } }

    /// Selects an account.
    ///
    /// - Returns: Whether another account was selected before.
    func use(_ account: PaymentGatewayAccount) -> Bool {
        selected.withLock { selected in
            defer { selected = account }
            guard let selected else { return false }
            return (selected.siteID, selected.gatewayID) != (account.siteID, account.gatewayID)
        }
    }

    /// Clears the selection.
    func forget() { selected.withLock { $0 = nil } }

    /// Returns the account for payments of this site: the selected one, or the only one.
    func account(siteID: Int64) async throws(CardPresentPaymentsError) -> PaymentGatewayAccount {
        let account: PaymentGatewayAccount
        if let current, current.siteID == siteID {
            account = current
        } else {
            let accounts = try await load(siteID: siteID)
            guard let first = accounts.first else { throw .gateway(.noAccount(siteID: siteID)) }
            guard accounts.count == 1 else { throw .gateway(.notChosen(accounts.map(\.gatewayID))) }
            account = first
            _ = use(first)
        }
        switch account.status {
        case .rejectedFraud, .rejectedListed, .rejectedOther, .rejectedTermsOfService:
            throw .gateway(.rejected(gateway: account.gatewayID, status: account.status.rawValue))
        case .complete, .enabled, .pendingVerification, .restricted, .restrictedSoon, .other: return account
        }
    }

    /// Requests the accounts from both gateways and stores them. One answer is sufficient; when a gateway does not
    /// answer, its stored account stays. Only a store that certainly has no account with a gateway loses the stored
    /// one.
    func load(siteID: Int64) async throws(CardPresentPaymentsError) -> [PaymentGatewayAccount] {
        let site = try site(siteID)
        let command = ClosureCommand<[PaymentGatewayAccount], CardPresentPaymentsError>(
            key: CommandKey("payments.accounts", String(siteID))
        ) { () throws(CardPresentPaymentsError) in try await Self.load(site) }
        do throws(QueueFailure<CardPresentPaymentsError>) {
            return try await site.context.commands.run(command, reuse: true)
        } catch {
            switch error {
            case .failed(let error): throw error
            case .canceled: throw .site(.canceled)
            }
        }
    }

    private static func load(
        _ site: PaymentSite
    ) async throws(CardPresentPaymentsError) -> [PaymentGatewayAccount] {
        async let first = ask(.wcpay, of: site)
        async let second = ask(.stripe, of: site)
        let answers = [(PaymentGatewayExtension.wcpay, await first), (.stripe, await second)]
        var accounts: [PaymentGatewayAccount] = []
        var gone: [String] = []
        var failure: NetworkError?
        for (gateway, answer) in answers {
            switch answer {
            case .success(let account?): accounts.append(account)
            case .success(nil): gone.append(gateway.rawValue)
            // The extension is not installed: there are no accounts.
            case .failure(.service(let error)) where error.kind == .noRestRoute: break
            case .failure(let error): failure = error
            }
        }
        if let failure, accounts.isEmpty { throw .site(.network(failure)) }
        try keep(in: site) { storage in
            try storage.save(accounts)
            for gateway in gone {
                try storage.delete(GatewayAccount.self) { $0.siteID == site.siteID && $0.gatewayID == gateway }
            }
        }
        return accounts
    }

    private static func ask(
        _ gateway: PaymentGatewayExtension, of site: PaymentSite
    ) async -> Result<PaymentGatewayAccount?, NetworkError> {
        do throws(NetworkError) {
            return .success(try await site.remote(gateway).loadAccount(siteID: site.siteID))
        } catch {
            return .failure(error)
        }
    }

    /// Requests a single-use token that lets a reader of the gateway connect.
    func connectionToken(siteID: Int64) async throws(CardPresentPaymentsError) -> ReaderConnectionToken {
        let site = try site(siteID)
        do throws(NetworkError) {
            return try await site.remote(backend).loadConnectionToken(siteID: siteID)
        } catch {
            throw .site(.network(error))
        }
    }

    /// Requests the location of the store's readers from the gateway.
    func defaultReaderLocation(siteID: Int64) async throws(CardPresentPaymentsError) -> ReaderLocation {
        let site = try site(siteID)
        do throws(NetworkError) {
            return try await site.remote(backend).loadDefaultReaderLocation(siteID: siteID)
        } catch {
            if let problem = ReaderConfigurationError(error) { throw .readerConfiguration(problem) }
            throw .site(.network(error))
        }
    }

    /// Fetches a charge and stores it. A charge that the gateway does not know is deleted.
    func charge(_ chargeID: String, siteID: Int64) async throws(CardPresentPaymentsError) -> WCPayCharge {
        let site = try site(siteID)
        guard backend == .wcpay else {
            throw .gateway(.notOffered(gateway: backend.rawValue, what: "charge lookups"))
        }
        let charge: WCPayCharge
        do throws(NetworkError) {
            charge = try await WCPayRemote(site.context.sender).fetchCharge(siteID: siteID, chargeID: chargeID)
        } catch {
            guard case .service(let service) = error, service.code == "wcpay_get_charge",
                service.message?.hasPrefix("Error: No such charge") == true
            else { throw .site(.network(error)) }
            try Self.keep(in: site) { storage in
                try storage.delete(WCPayCharge.self) { $0.siteID == siteID && $0.id == chargeID }
            }
            throw .site(.notFound(entity: "charge", id: chargeID))
        }
        try Self.keep(in: site) { try $0.save(charge) }
        return charge
    }

    private static func keep<Value>(
        in site: PaymentSite, _ operation: (any StorageType) throws -> Value
    ) throws(CardPresentPaymentsError) {
        do { _ = try site.context.storage.performAndSave(operation) } catch {
            throw .site(StoreError(error, path: site.context.storage.path))
        }
    }

    /// WooPayments is the default while no account is selected.
    private var backend: PaymentGatewayExtension {
        current.flatMap { PaymentGatewayExtension(rawValue: $0.gatewayID) } ?? .wcpay
    }

    private func site(_ siteID: Int64) throws(CardPresentPaymentsError) -> PaymentSite {
        guard let site, site.siteID == siteID else { throw .noStoreSite }
        return site
    }
}

/// An account with a payment gateway of a store site.
public typealias PaymentGatewayAccount = Networking.GatewayAccount

/// A single-use token that lets a reader of the gateway connect.
public typealias ReaderConnectionToken = Networking.ReaderConnectionToken

/// The extensions of WooCommerce that take card-present payments.
public enum PaymentGatewayExtension: String, Hashable, Sendable, Codable, CaseIterable {
    case wcpay = "woocommerce-payments"
    case stripe = "woocommerce-stripe"
}
