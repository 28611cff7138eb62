//! Diesel schema of the tables, the same on both engines. It is maintained by hand to match
//! `migrations/`.

diesel::table! {
    roles (id) {
        id -> BigInt,
        name -> Text,
        color -> Text,
        permissions -> BigInt,
        position -> Integer,
        highlighted -> Bool,
        created_at -> BigInt,
    }
}

diesel::table! {
    accounts (id) {
        id -> BigInt,
        username -> Text,
        username_key -> Text,
        domain -> Nullable<Text>,
        display_name -> Text,
        note -> Text,
        note_html -> Text,
        fields -> Text,
        search_text -> Text,
        avatar_file -> Nullable<Text>,
        header_file -> Nullable<Text>,
        locked -> Bool,
        bot -> Bool,
        discoverable -> Nullable<Bool>,
        indexable -> Bool,
        hide_collections -> Bool,
        memorial -> Bool,
        uri -> Text,
        url -> Nullable<Text>,
        protocol -> Text,
        inbox_url -> Nullable<Text>,
        outbox_url -> Nullable<Text>,
        shared_inbox_url -> Nullable<Text>,
        followers_url -> Nullable<Text>,
        moved_to_account_id -> Nullable<BigInt>,
        also_known_as -> Text,
        suspended_at -> Nullable<BigInt>,
        silenced_at -> Nullable<BigInt>,
        reachable -> Bool,
        version -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
        avatar_still_file -> Nullable<Text>,
        header_still_file -> Nullable<Text>,
        avatar_description -> Text,
        header_description -> Text,
        show_media -> Bool,
        show_media_replies -> Bool,
        show_featured -> Bool,
        attribution_domains -> Text,
        sensitized_at -> Nullable<BigInt>,
        deleting_since -> Nullable<BigInt>,
    }
}

diesel::table! {
    domain_limits (account_id) {
        account_id -> BigInt,
        severity -> SmallInt,
        limited_at -> BigInt,
        own_suspended_at -> Nullable<BigInt>,
        own_silenced_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    instance_domain_blocks (id) {
        id -> BigInt,
        domain -> Text,
        digest -> Text,
        severity -> SmallInt,
        reject_media -> Bool,
        reject_reports -> Bool,
        private_comment -> Nullable<Text>,
        public_comment -> Nullable<Text>,
        obfuscate -> Bool,
        created_at -> BigInt,
    }
}

diesel::table! {
    instance_domain_allows (id) {
        id -> BigInt,
        domain -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    account_stats (account_id) {
        account_id -> BigInt,
        statuses_count -> BigInt,
        followers_count -> BigInt,
        following_count -> BigInt,
        last_status_at -> Nullable<BigInt>,
        listed -> SmallInt,
    }
}

diesel::table! {
    account_terms (term, account_id) {
        term -> Text,
        account_id -> BigInt,
    }
}

// Only the columns of PostgreSQL: on SQLite it is a full-text table, with the id as its rowid.
diesel::table! {
    status_terms (status_id) {
        status_id -> BigInt,
    }
}

diesel::table! {
    suggestion_dismissals (account_id, target_account_id) {
        account_id -> BigInt,
        target_account_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    applications (id) {
        id -> BigInt,
        name -> Text,
        website -> Nullable<Text>,
        client_id -> Text,
        client_secret_hash -> Text,
        redirect_uris -> Text,
        scopes -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    users (account_id) {
        account_id -> BigInt,
        email -> Text,
        email_key -> Text,
        password_hash -> Text,
        role_id -> Nullable<BigInt>,
        locale -> Nullable<Text>,
        confirmed_at -> Nullable<BigInt>,
        approved -> Bool,
        disabled -> Bool,
        sign_up_reason -> Nullable<Text>,
        sign_up_ip -> Nullable<Text>,
        created_by_application_id -> Nullable<BigInt>,
        default_privacy -> SmallInt,
        default_sensitive -> Bool,
        default_language -> Nullable<Text>,
        default_content_type -> SmallInt,
        default_quote_policy -> SmallInt,
        digest_at -> Nullable<BigInt>,
        last_active_at -> Nullable<BigInt>,
        last_sign_in_at -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
        relations_version -> BigInt,
        invited_by_account_id -> Nullable<BigInt>,
        follows_inviter -> Bool,
        terms_accepted_at -> Nullable<BigInt>,
        rejected_at -> Nullable<BigInt>,
        folded_email -> Text,
    }
}

diesel::table! {
    access_tokens (id) {
        id -> BigInt,
        token_hash -> Text,
        application_id -> Nullable<BigInt>,
        account_id -> Nullable<BigInt>,
        scopes -> Text,
        created_at -> BigInt,
        last_used_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    push_subscriptions (id) {
        id -> BigInt,
        access_token_id -> BigInt,
        account_id -> BigInt,
        endpoint -> Text,
        p256dh -> Text,
        auth -> Text,
        standard -> Bool,
        policy -> Text,
        alerts -> Text,
        sealed_token -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    authorization_codes (code_hash) {
        code_hash -> Text,
        application_id -> BigInt,
        account_id -> BigInt,
        redirect_uri -> Text,
        scopes -> Text,
        code_challenge -> Nullable<Text>,
        expires_at -> BigInt,
        used_at -> Nullable<BigInt>,
        token_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    web_sessions (id) {
        id -> BigInt,
        token_hash -> Text,
        account_id -> BigInt,
        user_agent -> Text,
        ip -> Text,
        created_at -> BigInt,
        last_used_at -> BigInt,
        restricted -> Bool,
        silent -> Bool,
    }
}

diesel::table! {
    account_ips (account_id, ip) {
        account_id -> BigInt,
        ip -> Text,
        used_at -> BigInt,
    }
}

diesel::table! {
    follows (id) {
        id -> BigInt,
        account_id -> BigInt,
        target_account_id -> BigInt,
        show_reblogs -> Bool,
        notify -> Bool,
        languages -> Nullable<Text>,
        uri -> Nullable<Text>,
        created_at -> BigInt,
    }
}

diesel::table! {
    follow_requests (id) {
        id -> BigInt,
        account_id -> BigInt,
        target_account_id -> BigInt,
        show_reblogs -> Bool,
        notify -> Bool,
        languages -> Nullable<Text>,
        uri -> Nullable<Text>,
        created_at -> BigInt,
    }
}

diesel::table! {
    blocks (id) {
        id -> BigInt,
        account_id -> BigInt,
        target_account_id -> BigInt,
        uri -> Nullable<Text>,
        created_at -> BigInt,
    }
}

diesel::table! {
    mutes (id) {
        id -> BigInt,
        account_id -> BigInt,
        target_account_id -> BigInt,
        hide_notifications -> Bool,
        expires_at -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}

diesel::table! {
    account_domain_blocks (id) {
        id -> BigInt,
        account_id -> BigInt,
        domain -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    endorsements (id) {
        id -> BigInt,
        account_id -> BigInt,
        target_account_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    account_notes (account_id, target_account_id) {
        account_id -> BigInt,
        target_account_id -> BigInt,
        comment -> Text,
        updated_at -> BigInt,
    }
}

diesel::table! {
    lists (id) {
        id -> BigInt,
        account_id -> BigInt,
        title -> Text,
        replies_policy -> SmallInt,
        exclusive -> Bool,
        created_at -> BigInt,
    }
}

diesel::table! {
    list_accounts (id) {
        id -> BigInt,
        list_id -> BigInt,
        account_id -> BigInt,
        follow_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    statuses (id) {
        id -> BigInt,
        account_id -> BigInt,
        uri -> Text,
        url -> Nullable<Text>,
        text -> Text,
        content -> Text,
        spoiler_text -> Text,
        visibility -> SmallInt,
        sensitive -> Bool,
        language -> Nullable<Text>,
        in_reply_to_id -> Nullable<BigInt>,
        in_reply_to_account_id -> Nullable<BigInt>,
        conversation_id -> BigInt,
        reblog_of_id -> Nullable<BigInt>,
        application_id -> Nullable<BigInt>,
        version -> BigInt,
        edited_at -> Nullable<BigInt>,
        content_type -> SmallInt,
        created_at -> BigInt,
        quote_of_id -> Nullable<BigInt>,
        quote_state -> Nullable<SmallInt>,
        quote_policy -> SmallInt,
    }
}

diesel::table! {
    status_stats (status_id) {
        status_id -> BigInt,
        replies_count -> BigInt,
        reblogs_count -> BigInt,
        favourites_count -> BigInt,
        quotes_count -> BigInt,
    }
}

diesel::table! {
    mentions (status_id, account_id) {
        status_id -> BigInt,
        account_id -> BigInt,
        position -> Integer,
        silent -> Bool,
    }
}

diesel::table! {
    email_topics (account_id, topic) {
        account_id -> BigInt,
        topic -> Text,
    }
}

diesel::table! {
    waiting_emails (account_id) {
        account_id -> BigInt,
        first_notification_id -> BigInt,
    }
}

diesel::table! {
    tags (id) {
        id -> BigInt,
        name -> Text,
        display_name -> Text,
        created_at -> BigInt,
        review -> SmallInt,
        review_requested_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    statuses_tags (tag_id, status_id) {
        tag_id -> BigInt,
        status_id -> BigInt,
        position -> Integer,
    }
}

diesel::table! {
    tag_follows (id) {
        id -> BigInt,
        account_id -> BigInt,
        tag_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    featured_tags (id) {
        id -> BigInt,
        account_id -> BigInt,
        tag_id -> BigInt,
        statuses_count -> BigInt,
        last_status_at -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}

diesel::table! {
    conversations (id) {
        id -> BigInt,
        account_id -> BigInt,
        thread_id -> BigInt,
        participants -> Text,
        last_status_id -> BigInt,
        unread -> Bool,
        created_at -> BigInt,
    }
}

diesel::table! {
    conversation_statuses (conversation_id, status_id) {
        conversation_id -> BigInt,
        status_id -> BigInt,
    }
}

diesel::table! {
    favourites (id) {
        id -> BigInt,
        account_id -> BigInt,
        status_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    bookmarks (id) {
        id -> BigInt,
        account_id -> BigInt,
        status_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    status_edits (status_id, version) {
        status_id -> BigInt,
        version -> BigInt,
        text -> Text,
        content -> Text,
        spoiler_text -> Text,
        sensitive -> Bool,
        poll_options -> Nullable<Text>,
        created_at -> BigInt,
    }
}

diesel::table! {
    status_pins (account_id, status_id) {
        account_id -> BigInt,
        status_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    muted_conversations (account_id, conversation_id) {
        account_id -> BigInt,
        conversation_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    idempotency_keys (account_id, key) {
        account_id -> BigInt,
        key -> Text,
        status_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    notifications (id) {
        id -> BigInt,
        account_id -> BigInt,
        from_account_id -> BigInt,
        kind -> Text,
        status_id -> Nullable<BigInt>,
        subject_id -> BigInt,
        created_at -> BigInt,
        filtered -> Bool,
    }
}

diesel::table! {
    notification_policies (account_id, rule) {
        account_id -> BigInt,
        rule -> SmallInt,
        action -> SmallInt,
    }
}

diesel::table! {
    notification_permissions (account_id, from_account_id) {
        account_id -> BigInt,
        from_account_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    notification_requests (id) {
        id -> BigInt,
        account_id -> BigInt,
        from_account_id -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    translations (key) {
        key -> Text,
        texts -> Text,
        detected -> Nullable<Text>,
        expires_at -> BigInt,
    }
}

diesel::table! {
    mailed_links (token_hash) {
        token_hash -> Text,
        account_id -> BigInt,
        purpose -> Text,
        email -> Text,
        expires_at -> BigInt,
        created_at -> BigInt,
        return_to -> Nullable<Text>,
    }
}

diesel::table! {
    second_factors (account_id) {
        account_id -> BigInt,
        sealed_secret -> Text,
        last_step -> BigInt,
        enabled_at -> BigInt,
        warned_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    recovery_codes (account_id, code_hash) {
        account_id -> BigInt,
        code_hash -> Text,
    }
}

diesel::table! {
    pending_sign_ins (token_hash) {
        token_hash -> Text,
        account_id -> BigInt,
        tries -> BigInt,
        expires_at -> BigInt,
        issuer -> Nullable<Text>,
    }
}

diesel::table! {
    spent_budgets (key_hash) {
        key_hash -> Text,
        spent -> BigInt,
        expires_at -> BigInt,
    }
}

diesel::table! {
    external_identities (account_id, issuer) {
        account_id -> BigInt,
        issuer -> Text,
        subject -> Text,
        created_at -> BigInt,
        last_used_at -> BigInt,
    }
}

diesel::table! {
    markers (account_id, timeline) {
        account_id -> BigInt,
        timeline -> Text,
        last_read_id -> BigInt,
        version -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    rules (id) {
        id -> BigInt,
        position -> Integer,
        text -> Text,
        hint -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    settings (key) {
        key -> Text,
        value -> Text,
        updated_at -> BigInt,
    }
}

diesel::table! {
    instance_secrets (name) {
        name -> Text,
        value -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    events (id) {
        id -> BigInt,
        position -> Nullable<BigInt>,
        kind -> Text,
        payload -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    jobs (id) {
        id -> BigInt,
        kind -> Text,
        payload -> Text,
        run_at -> BigInt,
        attempts -> Integer,
        locked_until -> Nullable<BigInt>,
        last_error -> Nullable<Text>,
        dead_at -> Nullable<BigInt>,
        created_at -> BigInt,
        owner_id -> Nullable<BigInt>,
        host -> Nullable<Text>,
        turn_at -> BigInt,
    }
}

diesel::table! {
    polls (id) {
        id -> BigInt,
        status_id -> BigInt,
        multiple -> Bool,
        hide_totals -> Bool,
        expires_at -> Nullable<BigInt>,
        closed_at -> Nullable<BigInt>,
        voters_count -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    poll_options (id) {
        id -> BigInt,
        poll_id -> BigInt,
        position -> Integer,
        title -> Text,
        votes_count -> BigInt,
    }
}

diesel::table! {
    poll_votes (poll_id, account_id, option_title) {
        poll_id -> BigInt,
        account_id -> BigInt,
        option_title -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    poll_announcements (poll_id, account_id) {
        poll_id -> BigInt,
        account_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    announcements (id) {
        id -> BigInt,
        text -> Text,
        all_day -> Bool,
        starts_at -> Nullable<BigInt>,
        ends_at -> Nullable<BigInt>,
        scheduled_at -> Nullable<BigInt>,
        published_at -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    announcement_dismissals (announcement_id, account_id) {
        announcement_id -> BigInt,
        account_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    announcement_reactions (announcement_id, name, account_id) {
        announcement_id -> BigInt,
        name -> Text,
        account_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    custom_emojis (id) {
        id -> BigInt,
        shortcode -> Text,
        domain -> Nullable<Text>,
        category -> Nullable<Text>,
        file -> Text,
        still_file -> Nullable<Text>,
        visible_in_picker -> Bool,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    media_attachments (id) {
        id -> BigInt,
        account_id -> BigInt,
        status_id -> Nullable<BigInt>,
        position -> SmallInt,
        kind -> SmallInt,
        stage -> SmallInt,
        failure -> Text,
        source_file -> Nullable<Text>,
        file -> Nullable<Text>,
        preview_file -> Nullable<Text>,
        description -> Text,
        focus_x -> Nullable<Integer>,
        focus_y -> Nullable<Integer>,
        blurhash -> Nullable<Text>,
        meta -> Text,
        unattached_at -> BigInt,
        created_at -> BigInt,
        scheduled_status_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    scheduled_statuses (id) {
        id -> BigInt,
        account_id -> BigInt,
        scheduled_at -> BigInt,
        application_id -> Nullable<BigInt>,
        created_at -> BigInt,
        draft -> Text,
    }
}

diesel::table! {
    preview_cards (id) {
        id -> BigInt,
        address -> Text,
        shown -> Bool,
        url -> Text,
        kind -> SmallInt,
        title -> Text,
        description -> Text,
        author_name -> Text,
        author_url -> Text,
        provider_name -> Text,
        provider_url -> Text,
        embed_url -> Text,
        width -> Integer,
        height -> Integer,
        image_source -> Nullable<Text>,
        image_file -> Nullable<Text>,
        blurhash -> Nullable<Text>,
        is_article -> Bool,
        published_at -> Nullable<BigInt>,
        look_after -> BigInt,
        unused_since -> Nullable<BigInt>,
        created_at -> BigInt,
        review -> SmallInt,
        review_requested_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    status_cards (status_id) {
        status_id -> BigInt,
        card_id -> BigInt,
    }
}

diesel::table! {
    filters (id) {
        id -> BigInt,
        account_id -> BigInt,
        title -> Text,
        contexts -> SmallInt,
        action -> SmallInt,
        expires_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    filter_keywords (id) {
        id -> BigInt,
        filter_id -> BigInt,
        keyword -> Text,
        whole_word -> Bool,
    }
}

diesel::table! {
    filter_statuses (id) {
        id -> BigInt,
        filter_id -> BigInt,
        status_id -> BigInt,
    }
}

diesel::table! {
    feeds (feed_id) {
        feed_id -> BigInt,
        account_id -> BigInt,
        list_id -> Nullable<BigInt>,
        stage -> SmallInt,
        floor -> BigInt,
        wanted_at -> BigInt,
        round -> BigInt,
    }
}

diesel::table! {
    feed_entries (feed_id, status_id) {
        feed_id -> BigInt,
        status_id -> BigInt,
        reblog_of_id -> Nullable<BigInt>,
        account_id -> BigInt,
    }
}

diesel::table! {
    shown_generation (singleton) {
        singleton -> BigInt,
        count -> BigInt,
    }
}

diesel::table! {
    retired_names (username_key) {
        username_key -> Text,
        retired_at -> BigInt,
    }
}

diesel::table! {
    former_ties (kind, source_id, holder_id) {
        kind -> SmallInt,
        source_id -> BigInt,
        holder_id -> BigInt,
        last_event_id -> BigInt,
        ended_at -> BigInt,
    }
}

diesel::table! {
    id_nodes (node) {
        node -> Integer,
        holder -> Text,
        leased_until -> BigInt,
    }
}

diesel::table! {
    status_reviews (status_id) {
        status_id -> BigInt,
        review -> SmallInt,
        requested_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    link_publishers (domain) {
        domain -> Text,
        review -> SmallInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    trending_tags (tag_id) {
        tag_id -> BigInt,
        score -> Double,
        peak -> Double,
        peaked_at -> BigInt,
    }
}

diesel::table! {
    trending_links (card_id) {
        card_id -> BigInt,
        score -> Double,
        peak -> Double,
        peaked_at -> BigInt,
    }
}

diesel::table! {
    trending_statuses (status_id) {
        status_id -> BigInt,
        score -> Double,
    }
}

diesel::table! {
    trend_rounds (singleton) {
        singleton -> BigInt,
        counted_at -> BigInt,
        reported_at -> BigInt,
    }
}

diesel::table! {
    audit_log (id) {
        id -> BigInt,
        account_id -> Nullable<BigInt>,
        account_name -> Text,
        action -> Text,
        target_kind -> Text,
        target_id -> Nullable<BigInt>,
        target_name -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    sign_up_notices (singleton) {
        singleton -> BigInt,
        mailed_at -> BigInt,
        due_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    strikes (id) {
        id -> BigInt,
        target_account_id -> BigInt,
        account_id -> Nullable<BigInt>,
        action -> Text,
        text -> Text,
        report_id -> Nullable<BigInt>,
        overruled_at -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}

diesel::table! {
    strike_statuses (strike_id, status_id) {
        strike_id -> BigInt,
        status_id -> BigInt,
        marked -> Bool,
        excerpt -> Text,
    }
}

diesel::table! {
    appeals (id) {
        id -> BigInt,
        strike_id -> BigInt,
        account_id -> BigInt,
        text -> Text,
        state -> Text,
        decided_by_account_id -> Nullable<BigInt>,
        decided_at -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}

diesel::table! {
    reports (id) {
        id -> BigInt,
        account_id -> BigInt,
        target_account_id -> BigInt,
        category -> Text,
        comment -> Text,
        forwarded -> Bool,
        status_ids -> Text,
        rule_ids -> Nullable<Text>,
        assigned_account_id -> Nullable<BigInt>,
        action_taken_at -> Nullable<BigInt>,
        action_taken_by_account_id -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    report_notes (id) {
        id -> BigInt,
        report_id -> BigInt,
        account_id -> BigInt,
        content -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    email_domain_blocks (id) {
        id -> BigInt,
        domain -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    email_domain_block_days (block_id, day) {
        block_id -> BigInt,
        day -> BigInt,
        accounts -> BigInt,
        uses -> BigInt,
        expires_at -> BigInt,
    }
}

diesel::table! {
    email_domain_block_sources (block_id, day, source_hash) {
        block_id -> BigInt,
        day -> BigInt,
        source_hash -> Text,
        expires_at -> BigInt,
    }
}

diesel::table! {
    canonical_email_blocks (id) {
        id -> BigInt,
        canonical_email_hash -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    ip_blocks (id) {
        id -> BigInt,
        network -> Text,
        severity -> Text,
        comment -> Text,
        expires_at -> Nullable<BigInt>,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    invites (id) {
        id -> BigInt,
        account_id -> BigInt,
        code -> Text,
        max_uses -> Nullable<BigInt>,
        uses -> BigInt,
        expires_at -> Nullable<BigInt>,
        autofollow -> Bool,
        comment -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    active_days (day, account_id) {
        day -> BigInt,
        account_id -> BigInt,
    }
}

diesel::table! {
    daily_counts (key, day) {
        key -> Text,
        day -> BigInt,
        value -> BigInt,
    }
}

diesel::table! {
    stored_files (prefix, kind) {
        prefix -> SmallInt,
        kind -> Text,
        files -> BigInt,
        bytes -> BigInt,
        listed_at -> BigInt,
    }
}

diesel::table! {
    exports (id) {
        id -> BigInt,
        account_id -> BigInt,
        last_status_id -> BigInt,
        statuses -> BigInt,
        bytes -> BigInt,
        completed_at -> Nullable<BigInt>,
        expires_at -> BigInt,
        created_at -> BigInt,
        kind -> Text,
        stage -> SmallInt,
        step -> BigInt,
        entry_bytes -> BigInt,
        entry_items -> BigInt,
    }
}

diesel::table! {
    export_parts (export_id, position) {
        export_id -> BigInt,
        position -> BigInt,
        file -> Text,
        bytes -> BigInt,
        raw_bytes -> BigInt,
        checksum -> BigInt,
    }
}

diesel::table! {
    instance_texts (name) {
        name -> Text,
        text -> Text,
        updated_at -> BigInt,
    }
}

diesel::table! {
    terms_of_service (effective_date) {
        effective_date -> BigInt,
        text -> Text,
        updated_at -> BigInt,
        announced_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    warning_presets (id) {
        id -> BigInt,
        title -> Text,
        text -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    activity_weeks (week) {
        week -> BigInt,
        statuses -> BigInt,
        counted_to -> BigInt,
        logins -> BigInt,
    }
}

diesel::table! {
    instance_pictures (file) {
        file -> Text,
        width -> BigInt,
        height -> BigInt,
        blurhash -> Nullable<Text>,
    }
}

diesel::table! {
    first_steps (step) {
        step -> Text,
        skipped -> Bool,
    }
}

diesel::table! {
    account_keys (id) {
        id -> BigInt,
        account_id -> Nullable<BigInt>,
        kind -> Text,
        public -> Text,
        private -> Text,
        created_at -> BigInt,
        ended_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    tombstones (uri_key) {
        uri_key -> Binary,
        former_type -> Text,
        deleted_at -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(
    roles,
    accounts,
    account_stats,
    domain_limits,
    instance_domain_blocks,
    instance_domain_allows,
    account_terms,
    status_terms,
    suggestion_dismissals,
    applications,
    users,
    access_tokens,
    push_subscriptions,
    authorization_codes,
    web_sessions,
    account_ips,
    follows,
    follow_requests,
    blocks,
    mutes,
    account_domain_blocks,
    endorsements,
    account_notes,
    lists,
    list_accounts,
    statuses,
    status_stats,
    email_topics,
    waiting_emails,
    mentions,
    tags,
    statuses_tags,
    tag_follows,
    featured_tags,
    conversations,
    conversation_statuses,
    favourites,
    bookmarks,
    status_edits,
    status_pins,
    muted_conversations,
    polls,
    poll_options,
    poll_votes,
    poll_announcements,
    announcements,
    announcement_dismissals,
    announcement_reactions,
    idempotency_keys,
    notifications,
    notification_policies,
    notification_permissions,
    notification_requests,
    mailed_links,
    second_factors,
    recovery_codes,
    pending_sign_ins,
    spent_budgets,
    external_identities,
    translations,
    markers,
    rules,
    settings,
    instance_secrets,
    events,
    jobs,
    custom_emojis,
    media_attachments,
    scheduled_statuses,
    preview_cards,
    status_cards,
    filters,
    filter_keywords,
    filter_statuses,
    feeds,
    feed_entries,
    shown_generation,
    retired_names,
    former_ties,
    id_nodes,
    status_reviews,
    link_publishers,
    trending_tags,
    trending_links,
    trending_statuses,
    trend_rounds,
    audit_log,
    sign_up_notices,
    active_days,
    daily_counts,
    stored_files,
    email_domain_blocks,
    email_domain_block_days,
    email_domain_block_sources,
    canonical_email_blocks,
    ip_blocks,
    invites,
    strikes,
    strike_statuses,
    appeals,
    reports,
    report_notes,
    exports,
    export_parts,
    instance_texts,
    terms_of_service,
    warning_presets,
    activity_weeks,
    instance_pictures,
    first_steps,
    account_keys,
    tombstones,
);

diesel::joinable!(account_stats -> accounts (account_id));
diesel::joinable!(users -> accounts (account_id));
diesel::joinable!(users -> roles (role_id));
diesel::joinable!(access_tokens -> applications (application_id));
diesel::joinable!(push_subscriptions -> access_tokens (access_token_id));
diesel::joinable!(status_stats -> statuses (status_id));
diesel::joinable!(statuses -> applications (application_id));
diesel::joinable!(statuses -> accounts (account_id));
diesel::joinable!(mentions -> accounts (account_id));
diesel::joinable!(statuses_tags -> tags (tag_id));
diesel::joinable!(status_cards -> preview_cards (card_id));
diesel::joinable!(polls -> statuses (status_id));
diesel::joinable!(poll_options -> polls (poll_id));
diesel::joinable!(bookmarks -> statuses (status_id));
diesel::joinable!(favourites -> statuses (status_id));
diesel::joinable!(filter_keywords -> filters (filter_id));
diesel::joinable!(filter_statuses -> filters (filter_id));
diesel::joinable!(status_reviews -> statuses (status_id));
diesel::joinable!(trending_tags -> tags (tag_id));
diesel::joinable!(trending_links -> preview_cards (card_id));
diesel::joinable!(trending_statuses -> statuses (status_id));
