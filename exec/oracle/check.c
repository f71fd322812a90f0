/* The table of checks, in the order of their classes, and the judgement that runs them all. */
#include "exec/oracle/check.h"

#include <string.h>

#include "exec/oracle/checks/checks.h"
#include "exec/oracle/duty.h"
#include "exec/oracle/facts.h"
#include "exec/oracle/user_check.h"

static const struct check *const table[] = {
    &check_base64_layer,
    &check_binary_as_text,
    &check_chunk_splits_character,
    &check_cut_splits_character,
    &check_lone_surrogate,
    &check_nul_in_content,
    &check_nul_in_argument,
    &check_argument_text_lost,
    &check_locale_decoding,
    &check_legacy_charset,
    &check_newline_altered,
    &check_last_lines,
    &check_number_precision,
    &check_shell_escape,
    &check_bad_frame_fatal,
    &check_request_unanswered,
    &check_big_frame_fatal,
    &check_line_without_end,
    &check_stdout_polluted,
    &check_stdin_inherited,
    &check_wrong_error_id,
    &check_duplicate_id_crossed,
    &check_one_call_breaks_rest,
    &check_session_errors_alike,
    &check_peer_death_unnoticed,
    &check_cancel_ignored,
    &check_null_not_absent,
    &check_silent_success,
    &check_fault_as_output,
    &check_stream_pages_mixed,
    &check_exit_status_lost,
    &check_last_output_lost,
    &check_silently_cut,
    &check_output_before_timeout_lost,
    &check_streams_merged,
    &check_background_holds_call,
    &check_background_killed,
    &check_deadline_leaves_tree,
    &check_deadline_wrong,
    &check_orphan_left,
    &check_zombies_pile_up,
    &check_phantom_running,
    &check_stdin_hang,
    &check_quoting_breaks_wrapper,
    &check_terminal_line_limit,
    &check_prompt_fooled,
    &check_long_argument,
    &check_interrupt_ineffective,
    &check_state_between_calls,
    &check_roots_differ,
    &check_listing_wrong,
    &check_symlink_mishandled,
    &check_name_normalised,
    &check_name_as_option,
    &check_special_file_starves,
    &check_metadata_lost,
    &check_owner_mismatch,
    &check_root_escape,
    &check_mount_missing,
    &check_damaged_store_fatal,
    &check_litter_left,
    &check_state_lost,
    &check_stale_content,
    &check_full_disk_damage,
    &check_descriptor_leak,
    &check_lost_update,
    &check_traversal_unbounded,
    &check_memory_limit_hidden,
    &check_memory_grows,
    &check_task_limit_breaks_start,
    &check_cpu_count_mismatch,
    &check_shared_memory_unusable,
    &check_syscall_refused,
    &check_system_files_missing,
    &check_egress_differs,
    &check_port_unreachable,
    &check_clock_wrong,
    &check_shared_randomness,
    &check_secret_in_environment,
    &check_idle_timer_wrong,
    &check_fresh_sandbox_silent,
    &check_created_not_usable,
    &check_failure_unexplained,
    &check_dead_tab,
    &check_tab_flood,
    &check_dialog_blocks,
    &check_download_lost,
    &check_screenshot_wrong,
    &check_page_never_loaded,
    &check_profile_locked,
    &check_upload_breaks_page,
    &check_tab_switch_lost,
    &check_glyphs_missing,
    &check_converter_silent,
    &check_mcp_01,
    &check_mcp_04,
    &check_mcp_14,
    &check_target_died,
};

const struct check *check_at(size_t index)
{
    return index < sizeof table / sizeof *table ? table[index] : NULL;
}

const struct check *check_find(const char *slug)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i]->slug, slug) == 0)
            return table[i];
    return duty_check_find(slug);
}

void oracle_judge(const struct execution *plain, struct verdicts *out)
{
    if (plain->harness)
        return;
    struct execution known = facts_known(plain, out->arena);
    const struct execution *e = &known;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        table[i]->judge(e, out);
    duty_judge(e, out);
    user_checks_judge(e, out);
    verdicts_normalise(out, e->rules);
}
