internal import Networking

extension StoresManager {
    /// Fetches what every session works with: the account and its settings, the sites, what the owner of the chosen one
    /// pays for. Without WordPress.com there is the site alone. It does nothing when nobody is signed in.
    ///
    /// - Returns: what could not be fetched, and why. The rest is kept.
    public func synchronizeEntities() async -> [StoreError] {
        guard isAuthenticated else { return [] }
        let account = isAuthenticatedWithoutDotcom ? [] : await synchronizeAccount()
        let selected = siteID
        let list: Result<SynchronizedSites, StoreError> = await fetch {
            AccountAction.synchronizeSites(selectedSiteID: selected, onCompletion: $0)
        }
        let sites = try? list.get()
        guard let selected, let site = sites?.sites.first(where: { $0.id == selected }) else {
            return account + Self.failures(of: list)
        }
        // The choice is the same, so nothing is written that could fail.
        try? updateDefaultStore(site)
        guard !isAuthenticatedWithoutDotcom else { return account }
        let plan: Result<Site, StoreError> = await fetch {
            AccountAction.synchronizeSitePlan(siteID: selected, onCompletion: $0)
        }
        return account + Self.failures(of: plan)
    }

    private func synchronizeAccount() async -> [StoreError] {
        let result: Result<Account, StoreError> = await fetch { AccountAction.synchronizeAccount(onCompletion: $0) }
        guard case .success(let account) = result else { return Self.failures(of: result) }
        let settings: Result<AccountSettings, StoreError> = await fetch {
            AccountAction.synchronizeAccountSettings(userID: account.id, onCompletion: $0)
        }
        return Self.failures(of: settings)
    }

    private static func failures<Value>(of result: Result<Value, StoreError>) -> [StoreError] {
        if case .failure(let error) = result { [error] } else { [] }
    }

    private func fetch<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> AccountAction
    ) async -> Result<Value, StoreError> {
        do throws(ActionFailure<StoreError>) {
            return .success(try await perform { makeAction($0) })
        } catch {
            switch error {
            case .failed(let error): return .failure(error)
            // The session ended meanwhile.
            case .notDispatched, .neverCompleted: return .failure(.notSignedIn)
            }
        }
    }
}
