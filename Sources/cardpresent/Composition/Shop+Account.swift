internal import Yosemite

extension Shop {
    /// Says at once that something is not to be had from a site itself.
    ///
    /// - Throws: `CommandFailure`
    func requireAccount() throws(CommandFailure) {
        guard stores.isAuthenticatedWithoutDotcom else { return }
        throw CommandFailure(
            .configuration, code: "needs_account",
            message: "you are signed in to the site itself, and only WordPress.com has this",
            fix: "sign in with a WordPress.com account: cardpresent login --help")
    }
}
