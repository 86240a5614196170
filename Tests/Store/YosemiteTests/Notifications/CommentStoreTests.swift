import Networking
import TestDoubles
import Testing

@testable import Yosemite

/// Moderation of comments, by WordPress.com and at a site itself.
struct CommentStoreTests {
    private static let moderations:
        [(
            word: String, direct: String,
            action: @Sendable (@escaping CommentAction.Completion<CommentStatus>) -> CommentAction
        )] = [
            (
                "approved", "approved",
                { .updateApprovalStatus(siteID: 5, commentID: 2, isApproved: true, onCompletion: $0) }
            ),
            (
                "unapproved", "hold",
                { .updateApprovalStatus(siteID: 5, commentID: 2, isApproved: false, onCompletion: $0) }
            ),
            ("spam", "spam", { .updateSpamStatus(siteID: 5, commentID: 2, isSpam: true, onCompletion: $0) }),
            ("unspam", "unspam", { .updateSpamStatus(siteID: 5, commentID: 2, isSpam: false, onCompletion: $0) }),
            ("trash", "trash", { .updateTrashStatus(siteID: 5, commentID: 2, isTrash: true, onCompletion: $0) }),
            ("untrash", "untrash", { .updateTrashStatus(siteID: 5, commentID: 2, isTrash: false, onCompletion: $0) }),
        ]

    @Test func `every change is one request to WordPress dot com`() async throws {
        for (word, _, action) in Self.moderations {
            let session = try SiteStoresBench(.dotcom)
            session.network.simulate("rest/v1.1/sites/5/comments/2", json: #"{"ID":2,"status":"approved"}"#)
            #expect(try await session.value { action($0) } == .approved)
            #expect(session.bodies == ["context=edit&force=true&status=\(word)"])
        }
    }

    @Test func `a site itself uses other status words`() async throws {
        for (_, word, action) in Self.moderations {
            let session = try SiteStoresBench(.site)
            session.network.simulate("/wp/v2/comments/2", json: #"{"id":2,"status":"hold"}"#)
            #expect(try await session.value { action($0) } == .unapproved)
            #expect(session.bodies == [#"{"status":"\#(word)"}"#])
            #expect(session.network.requests.map(\.address.origin.host) == ["shop.example"])
        }
    }

    @Test func `an unknown status is kept unchanged`() async throws {
        let session = try SiteStoresBench(.dotcom)
        session.network.simulate("comments/2", json: #"{"ID":2,"status":"post-trashed"}"#)
        let status: CommentStatus = try await session.value {
            CommentAction.updateTrashStatus(siteID: 5, commentID: 2, isTrash: true, onCompletion: $0)
        }
        #expect(status == .other("post-trashed"))
    }

    @Test func `an unknown comment is an error with the server's message`() async throws {
        let session = try SiteStoresBench(.dotcom)
        session.network.simulate(
            "comments/2", json: #"{"error":"unknown_comment","message":"Unknown comment"}"#, status: 404)
        #expect(
            await session.failure(CommentStatus.self) {
                CommentAction.updateSpamStatus(siteID: 5, commentID: 2, isSpam: true, onCompletion: $0)
            } == .network(.service(ServiceError(status: 404, code: "unknown_comment", message: "Unknown comment"))))
    }

    @Test(arguments: [(SiteStoresBench.Account.site, "/wp/v2/comments"), (.dotcom, "wp/v2/sites/5/comments")])
    func `a reply names its comment and its product`(account: SiteStoresBench.Account, path: String) async throws {
        let session = try SiteStoresBench(account)
        session.network.simulate(path, json: #"{"id":9,"post":3,"parent":2}"#, status: 201)
        let reply: CommentReply = try await session.value {
            CommentAction.replyToComment(
                siteID: 5, commentID: 2, productID: 3, content: "Thank you & see you", onCompletion: $0)
        }
        #expect(reply.id == 9)
        #expect(reply.parent == 2)
        #expect(session.network.requests.count == 1)
        if case .site = account {
            #expect(session.bodies == [#"{"content":"Thank you & see you","parent":2,"post":3}"#])
        } else {
            #expect(session.bodies == ["content=Thank%20you%20%26%20see%20you&parent=2&post=3"])
        }
    }

    @Test func `the text of a reply is in no log`() {
        let action = CommentAction.replyToComment(
            siteID: 5, commentID: 2, productID: 3, content: "canary", onCompletion: { _ in })
        #expect(!"\(action.redactedDescription)".contains("canary"))
    }
}
